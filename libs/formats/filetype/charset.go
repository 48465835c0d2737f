package filetype

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Charset returns the canonical name of the charset that a media type declares, or "" if it
// declares none that is known.
func Charset(mediaType string) string {
	_, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	if _, name := lookup(parameters["charset"]); name != "" {
		return name
	}
	return ""
}

// lookup returns the encoding of a charset, and its canonical name.
func lookup(charset string) (encoding.Encoding, string) {
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return nil, ""
	}
	return e, name
}

// declared returns the encoding of a charset that decides how text is read. UTF-8 and
// Windows-1252, which stands for ASCII and Latin-1 too, do not: programs declare them for any
// text, and the text shows which of them it is.
func declared(charset string) encoding.Encoding {
	switch e, name := lookup(charset); name {
	case "utf-8", "windows-1252":
		return nil
	default:
		return e
	}
}

// remedy completes the reasons of CheckText.
const remedy = `save it as UTF-8, or send its charset in its type, for example "text/plain; charset=shift_jis"`

// CheckText checks that TextReader can decode r. charset is the one that the media type
// declares, or "". The error is an *Error if the text has another encoding.
func CheckText(r io.ReadSeeker, charset string) error {
	from, err := textEncoding(r, charset)
	if err != nil {
		return fmt.Errorf("find the encoding of the text: %w", err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if e := declared(charset); e != nil && e == from {
		return checkDeclared(e.NewDecoder().Reader(r), charset)
	}
	in := bufio.NewReader(r)
	head, err := in.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	if wide := wideOf(head); wide != "" {
		return &Error{Type: Text, Reason: "is text in " + wide + ", not UTF-8; " + remedy, Err: errCharset}
	}
	if _, name := lookup(charset); from != charmap.Windows1252 || name == "windows-1252" {
		return nil
	}
	western, err := isWestern(in)
	if err == nil && !western {
		err = &Error{Type: Text, Reason: "is text that is not UTF-8; " + remedy, Err: errCharset}
	}
	return err
}

var errCharset = errors.New("the encoding of the text is not known")

// checkDeclared checks that text could be decoded.
func checkDeclared(text io.Reader, charset string) error {
	in := bufio.NewReader(text)
	for {
		c, _, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c == unicode.ReplacementChar || isBinary(c):
			return &Error{Type: Text, Reason: fmt.Sprintf("is not text in %s, the charset of its type; save it as UTF-8, or correct the type", charset), Err: errCharset}
		}
	}
}

// wideOf returns the encoding of text that begins with head if each character has several
// bytes, and nothing tells which one is first: UTF-16 without a byte order mark, or UTF-32.
func wideOf(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	var zeros [4]int
	for i, b := range head {
		if b == 0 {
			zeros[i%4]++
		}
	}
	quarter := len(head) / 4
	most := quarter - quarter/4 // characters of other scripts have fewer zeros
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}), bytes.HasPrefix(head, []byte{0, 0, 0xFE, 0xFF}),
		zeros[0] >= most && zeros[1] >= most, zeros[2] >= most && zeros[3] >= most:
		return "UTF-32"
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return ""
	case zeros[0] >= most && zeros[2] >= most, zeros[1] >= most && zeros[3] >= most:
		return "UTF-16 without a byte order mark"
	}
	return ""
}

// isWestern reports whether bytes that are not UTF-8 look like prose in Windows-1252. In text
// of another encoding, most words with a byte from 0x80 have something that no word of Western
// Europe has. It cannot tell those of Central Europe whose letters are rare.
func isWestern(in io.ByteReader) (bool, error) {
	var w word
	var plain, foreign int
	end := func() {
		switch {
		case w.foreign:
			foreign++
		case w.high:
			plain++
		}
		w = word{}
	}
	for {
		b, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			end()
			return foreign*3 <= plain, nil
		}
		if err != nil {
			return false, err
		}
		switch c := charmap.Windows1252.DecodeByte(b); {
		case c == unicode.ReplacementChar: // Windows-1252 lacks five bytes
			return false, nil
		case b < 0x80 && !unicode.IsLetter(c), c == '\u00A0':
			end()
		default:
			w.add(c)
		}
	}
}

// word is a word while it is read: letters of ASCII, and all other characters from U+0080.
type word struct {
	high    bool // it has a letter or symbol that is not in ASCII
	foreign bool // it has something that is in no word of Western Europe
	letters int  // consecutive letters before the current character that are not in ASCII
	before  rune // the letter before the current character, or 0
	symbol  bool // there is a symbol between that letter and the current character
	symbols int  // other symbols in the word
	last    rune // the last of them
}

// add adds a character of Windows-1252.
func (w *word) add(c rune) {
	const run = 3 // créée and ações have two letters, §§ 5 has one symbol
	if !unicode.IsLetter(c) {
		w.letters = 0
		switch c {
		case '’', '‘', '–', '—', '…', '•', '«', '»', '”', '€', '™', '®', '©', '°', '·', '´', '\u00AD', '›': // may join words
			if c == '”' && w.before != 0 {
				w.symbol = true
				break
			}
			w.before, w.symbol = 0, false
		default: // “word”, 3 m³ and ¿Qué? have them at one end only
			w.high, w.symbol = true, w.before != 0
			if c != w.last {
				w.last, w.symbols = c, w.symbols+1
				w.foreign = w.foreign || w.symbols >= run
			}
		}
		return
	}
	if c < 0x80 {
		w.letters = 0
	} else if w.letters++; w.letters >= run {
		w.foreign = true
	}
	w.high = w.high || c >= 0x80
	neutral := c == 'ß' || c == 'µ' || c == 'ª' || c == 'º' || w.before == 'ß' || w.before == 'µ' // STRAßE, µF
	mixed := unicode.IsLower(w.before) && unicode.IsUpper(c) && (c >= 0x80 || w.before >= 0x80)
	if w.symbol || mixed && !neutral {
		w.foreign = true
	}
	w.before, w.symbol = c, false
}
