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

// The form of a secret: prefix, 32 random bytes in base 62, and the CRC32 of
// what is before it in base 62, so that a mistyped or foreign one is told
// without a look at the database.
const (
	livePrefix     = "rk_live_"
	testPrefix     = "rk_test_"
	prefixLength   = len(livePrefix)
	randomBytes    = 32
	randomLength   = 43 // digits of 2^256 in base 62
	checksumLength = 6
	secretLength   = prefixLength + randomLength + checksumLength
)

// NewSecret returns a new secret: for the live service, or for tests.
func NewSecret(live bool) string {
	prefix := testPrefix
	if live {
		prefix = livePrefix
	}
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // it does not fail: it ends the program
	body := prefix + base62(new(big.Int).SetBytes(random), randomLength)
	return body + checksum(body)
}

// WellFormed reports whether s has the form of a secret. It takes the same time
// for all that have its length.
func WellFormed(s string) bool {
	if len(s) != secretLength || !strings.HasPrefix(s, livePrefix) && !strings.HasPrefix(s, testPrefix) {
		return false
	}
	body := s[:secretLength-checksumLength]
	return hmac.Equal([]byte(checksum(body)), []byte(s[len(body):]))
}

func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), checksumLength)
}

// base62 writes n in base 62 with that many digits: 0-9, a-z, A-Z.
func base62(n *big.Int, digits int) string {
	text := n.Text(62)
	return strings.Repeat("0", digits-len(text)) + text
}

// Pepper is a secret that keys are stored under.
type Pepper struct {
	ID     string
	Secret []byte
}

// Peppers are the peppers in use. New keys are stored under the first; the
// others are there for keys from before it.
type Peppers []Pepper

// minPepper is the least length of a pepper, in bytes.
const minPepper = 32

// ParsePeppers reads "id:base64,id:base64".
func ParsePeppers(s string) (Peppers, error) {
	var peppers Peppers
	for item := range strings.SplitSeq(s, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(item), ":")
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || id == "" || err != nil || len(secret) < minPepper {
			return nil, fmt.Errorf("a pepper is an id, a colon and at least %d random bytes in base64; several are separated by commas", minPepper)
		}
		peppers = append(peppers, Pepper{ID: id, Secret: secret})
	}
	return peppers, nil
}

// NewPepper returns a new pepper as ParsePeppers reads it.
func NewPepper(id string) string {
	secret := make([]byte, minPepper)
	_, _ = rand.Read(secret)
	return id + ":" + base64.StdEncoding.EncodeToString(secret)
}

// Digest returns what is stored of a secret under the pepper.
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
