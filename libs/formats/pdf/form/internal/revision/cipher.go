package revision

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rand"
	"crypto/rc4"
	"encoding/hex"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Cipher encrypts the strings and streams of an encrypted file. A nil Cipher leaves them as
// they are.
type Cipher struct {
	// Key is the key of the file.
	Key []byte
	// Revision is that of the standard security handler: 2 to 6.
	Revision int
	// AESStrings and AESStreams choose AES instead of RC4.
	AESStrings, AESStreams bool
	// PlainMetadata leaves metadata streams as they are.
	PlainMetadata bool
	// Dictionary is the number of the encryption dictionary, whose strings are plain.
	Dictionary int
}

// sealer encrypts within one object.
type sealer struct {
	*Cipher
	Object
}

// object returns the object with encrypted strings and streams.
func (c *Cipher) object(o Object) (types.Object, error) {
	if c == nil || o.Number == c.Dictionary {
		return o.Value, nil
	}
	return sealer{c, o}.seal(o.Value, 0)
}

func (s sealer) seal(o types.Object, depth int) (types.Object, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	switch o := o.(type) {
	case types.StringLiteral:
		b, err := types.Unescape(string(o))
		if err != nil {
			return nil, err
		}
		return s.text(b)
	case types.HexLiteral:
		b, err := unhex(string(o))
		if err != nil {
			return nil, err
		}
		return s.text(b)
	case types.Array:
		return s.array(o, depth)
	case types.Dict:
		return s.dict(o, depth)
	case types.StreamDict:
		return s.stream(o, depth)
	}
	return o, nil
}

func (s sealer) array(a types.Array, depth int) (types.Object, error) {
	out := make(types.Array, len(a))
	for i, o := range a {
		var err error
		if out[i], err = s.seal(o, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s sealer) dict(d types.Dict, depth int) (types.Object, error) {
	out := make(types.Dict, len(d))
	for k, o := range d {
		if k == "Contents" && signature(d) {
			out[k] = o
			continue
		}
		var err error
		if out[k], err = s.seal(o, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// signature reports whether the dictionary is that of a signature, whose contents are
// never encrypted.
func signature(d types.Dict) bool {
	t, ok := d["Type"].(types.Name)
	return ok && (t == "Sig" || t == "DocTimeStamp")
}

func (s sealer) stream(o types.StreamDict, depth int) (types.Object, error) {
	d, err := s.dict(o.Dict, depth)
	if err != nil {
		return nil, err
	}
	o.Dict = d.(types.Dict)
	if s.plain(o) {
		return o, nil
	}
	o.Raw, err = s.encrypt(o.Raw, s.AESStreams)
	return o, err
}

// plain reports whether a stream is not encrypted.
func (s sealer) plain(o types.StreamDict) bool {
	t, _ := o.Dict["Type"].(types.Name)
	return t == "XRef" || t == "Metadata" && s.PlainMetadata || o.HasSoleFilterNamed("Crypt")
}

func (s sealer) text(b []byte) (types.Object, error) {
	b, err := s.encrypt(b, s.AESStrings)
	return types.NewHexLiteral(b), err
}

func (s sealer) encrypt(b []byte, useAES bool) ([]byte, error) {
	key := s.Key
	if s.Revision < 5 {
		key = s.key(useAES)
	}
	if useAES || s.Revision >= 5 {
		return encryptAES(b, key)
	}
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(b))
	c.XORKeyStream(out, b)
	return out, nil
}

// key returns the key of one object: ISO 32000-1, 7.6.2, algorithm 1.
func (s sealer) key(useAES bool) []byte {
	n, g := s.Number, s.Generation
	b := append(bytes.Clone(s.Key), byte(n), byte(n>>8), byte(n>>16), byte(g), byte(g>>8))
	if useAES {
		b = append(b, "sAlT"...)
	}
	sum := md5.Sum(b)
	return sum[:min(len(s.Key)+5, 16)]
}

// encryptAES encrypts with AES in CBC mode, with PKCS #7 padding and a random
// initialization vector in front.
func encryptAES(b, key []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	pad := aes.BlockSize - len(b)%aes.BlockSize
	out := make([]byte, aes.BlockSize, aes.BlockSize+len(b)+pad)
	_, _ = rand.Read(out) // never fails
	iv := bytes.Clone(out)
	out = append(out, b...)
	out = append(out, bytes.Repeat([]byte{byte(pad)}, pad)...)
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out[aes.BlockSize:], out[aes.BlockSize:])
	return out, nil
}

// unhex decodes hexadecimal digits. A missing last digit is 0.
func unhex(s string) ([]byte, error) {
	if len(s)%2 == 1 {
		s += "0"
	}
	return hex.DecodeString(s)
}
