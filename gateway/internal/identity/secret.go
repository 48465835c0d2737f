package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
)

// A secret consists of a prefix, 32 random bytes in base 62, and the CRC-32 of everything
// before it in base 62. The checksum reveals mistyped or foreign secrets without a database
// query.
const (
	livePrefix     = "rk_live_"
	testPrefix     = "rk_test_"
	sessionPrefix  = "rs_sess_"
	linkPrefix     = "rs_link_"
	prefixLength   = len(livePrefix) // all prefixes have this length
	randomBytes    = 32
	randomLength   = 43 // digits of 2^256 in base 62
	checksumLength = 6
	secretLength   = prefixLength + randomLength + checksumLength
)

// NewSecret returns a new secret for a live key or a test key.
func NewSecret(live bool) string {
	if live {
		return newSecret(livePrefix)
	}
	return newSecret(testPrefix)
}

// newSecret returns a new secret with the prefix.
func newSecret(prefix string) string {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never returns an error: it crashes the program instead
	body := prefix + base62(new(big.Int).SetBytes(random), randomLength)
	return body + checksum(body)
}

// WellFormed reports whether s has the form of the secret of a key.
func WellFormed(s string) bool { return wellFormed(s, livePrefix) || wellFormed(s, testPrefix) }

// wellFormed reports whether s has the form of a secret with the prefix. For strings of
// the right length and prefix, its time does not depend on their content.
func wellFormed(s, prefix string) bool {
	if len(s) != secretLength || !strings.HasPrefix(s, prefix) {
		return false
	}
	body := s[:secretLength-checksumLength]
	return hmac.Equal([]byte(checksum(body)), []byte(s[len(body):]))
}

// checksum returns the CRC-32 of body in base 62.
func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), checksumLength)
}

// base62 formats n in base 62 (0-9, a-z, A-Z), padded with zeros to that many digits.
func base62(n *big.Int, digits int) string {
	text := n.Text(62)
	return strings.Repeat("0", digits-len(text)) + text
}

// Pepper is a secret under which the digests of keys are computed.
type Pepper struct {
	ID     string
	Secret []byte
}

// Peppers are the peppers in use. New keys use the first; the others are for older keys.
type Peppers []Pepper

// minPepper is the minimum length of a pepper, in bytes.
const minPepper = 32

// ParsePeppers parses peppers of the form "id:base64,id:base64".
func ParsePeppers(s string) (Peppers, error) {
	var peppers Peppers
	for item := range strings.SplitSeq(s, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(item), ":")
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || id == "" || err != nil || len(secret) < minPepper {
			return nil, fmt.Errorf("invalid pepper; use an id, a colon and at least %d random bytes in base64, and separate several peppers with commas", minPepper)
		}
		peppers = append(peppers, Pepper{ID: id, Secret: secret})
	}
	return peppers, nil
}

// NewPepper returns a new pepper in the form that ParsePeppers accepts.
func NewPepper(id string) string {
	secret := make([]byte, minPepper)
	_, _ = rand.Read(secret)
	return id + ":" + base64.StdEncoding.EncodeToString(secret)
}

// Digest returns the digest of a secret under the pepper.
func (p Pepper) Digest(secret string) Digest {
	mac := hmac.New(sha256.New, p.Secret)
	mac.Write([]byte(secret))
	return Digest(mac.Sum(nil))
}

// Digests returns the digest of a secret under each pepper.
func (p Peppers) Digests(secret string) []Digest {
	digests := make([]Digest, len(p))
	for i, pepper := range p {
		digests[i] = pepper.Digest(secret)
	}
	return digests
}
