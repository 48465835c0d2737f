package fonts

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
)

// Bounds of RTF. maxGroups is the nesting depth that is followed; deeper groups are read as
// if they were not nested.
const (
	maxGroups   = 1000
	maxRTFFonts = 5000
)

// rtf reads the table of fonts of an RTF file, and which of them are used.
type rtf struct {
	r     *bufio.Reader
	depth int
	// table is the depth of the font table, or 0 outside of it.
	table int
	fonts map[int]string
	used  map[int]bool
	// font is the entry of the table that is being read, and name the name so far, in
	// UTF-16.
	font int
	name []uint16
	// charset is the one of the entry, and foreign reports whether its name has bytes of a
	// code page that is not read here.
	charset int
	foreign bool
	// fallback is how many characters stand for one of Unicode, and skip how many of them
	// still follow.
	fallback, skip int
}

// scanRTF finds the fonts of the table that the rest of the file uses.
func scanRTF(r io.Reader, found *names) {
	p := &rtf{r: bufio.NewReaderSize(r, 64<<10), fonts: map[int]string{}, used: map[int]bool{}, fallback: 1}
	p.read()
	for _, font := range slices.Sorted(maps.Keys(p.used)) {
		found.add(p.fonts[font])
	}
}

func (p *rtf) read() {
	for {
		c, err := p.r.ReadByte()
		if err != nil {
			return
		}
		switch c {
		case '{':
			p.depth++
		case '}':
			p.close()
		case '\\':
			p.control()
		case ';':
			if p.inEntry() {
				p.endEntry()
			}
		case '\r', '\n':
		default:
			p.character(uint16(c))
		}
	}
}

// inEntry reports whether text belongs to the name of a font. Groups in an entry hold other
// names, which are not used.
func (p *rtf) inEntry() bool {
	return p.table > 0 && p.depth <= p.table+1
}

func (p *rtf) close() {
	if p.inEntry() {
		p.endEntry()
	}
	if p.depth == p.table {
		p.table = 0
	}
	p.depth = max(0, p.depth-1)
}

func (p *rtf) endEntry() {
	if len(p.name) > 0 && !p.foreign && len(p.fonts) < maxRTFFonts {
		p.fonts[p.font] = string(utf16.Decode(p.name))
	}
	p.name, p.charset, p.foreign = p.name[:0], 0, false
}

// character adds one to the name.
func (p *rtf) character(c uint16) {
	if p.skip > 0 {
		p.skip--
		return
	}
	if p.inEntry() && len(p.name) <= maxName {
		p.name = append(p.name, c)
	}
}

// control reads what follows a backslash.
func (p *rtf) control() {
	c, err := p.r.ReadByte()
	switch {
	case err != nil:
	case c == '\'':
		p.hex()
	case c|0x20 < 'a' || c|0x20 > 'z':
		if c == '\\' || c == '{' || c == '}' {
			p.character(uint16(c))
		}
	default:
		word, value := p.word(c)
		p.act(word, value)
	}
}

func (p *rtf) hex() {
	digits := make([]byte, 2)
	if _, err := io.ReadFull(p.r, digits); err != nil {
		return
	}
	if c, err := strconv.ParseUint(string(digits), 16, 8); err == nil {
		p.foreign = p.foreign || c >= 0x80 && p.charset > 1 && p.skip == 0
		p.character(uint16(c))
	}
}

// word reads a control word that begins with c, and its number, or 0.
func (p *rtf) word(c byte) (string, int) {
	var text, digits []byte
	for ; c|0x20 >= 'a' && c|0x20 <= 'z'; c = p.next() {
		if len(text) < 32 {
			text = append(text, c)
		}
	}
	for ; c == '-' && len(digits) == 0 || c >= '0' && c <= '9'; c = p.next() {
		if len(digits) < 10 {
			digits = append(digits, c)
		}
	}
	if c != ' ' && c != 0 {
		_ = p.r.UnreadByte()
	}
	value, _ := strconv.Atoi(string(digits))
	return string(text), value
}

// next returns the next byte, or 0 at the end, which no control word contains.
func (p *rtf) next() byte {
	c, err := p.r.ReadByte()
	if err != nil {
		return 0
	}
	return c
}

func (p *rtf) act(word string, value int) {
	switch word {
	case "fonttbl":
		if p.table == 0 && p.depth > 0 && p.depth < maxGroups {
			p.table = p.depth
		}
	case "f", "af", "deff", "adeff", "stshfdbch", "stshfloch", "stshfhich", "stshfbi":
		p.choose(value)
	case "fcharset":
		p.charset = value
	case "u":
		p.skip = 0
		p.character(uint16(value))
		p.skip = p.fallback
	case "uc":
		p.fallback = max(0, min(value, 16))
	case "bin":
		_, _ = io.CopyN(io.Discard, p.r, int64(max(0, value)))
	}
}

// choose begins an entry of the table, or notes that a font is used.
func (p *rtf) choose(font int) {
	switch {
	case p.inEntry():
		p.endEntry() // some programs do not end entries
		p.font = font
	case p.table == 0 && len(p.used) < maxRTFFonts:
		p.used[font] = true
	}
}
