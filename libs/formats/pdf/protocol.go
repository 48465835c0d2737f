package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
)

// The reader and its process exchange, in this order: a byte when the process is ready; a
// byte that names the task; the size of the file in eight bytes, and the file; and
// messages, each as its size in four bytes followed by JSON. The last message ends the
// answer. Numbers are big-endian.

// task is what a process does with its file.
type task byte

const (
	taskRead  task = 'r' // the answer has a message per page, and an end message
	taskCount task = 'c' // the answer is the number of pages
)

// order precedes the file.
type order struct {
	Task task
	Size int64
}

// Limits of an answer. The process respects them, so that a file which exceeds one is
// refused for that reason. The reader does not rely on this.
const (
	maxText    = 16 << 20 // bytes of text
	maxWords   = 1 << 20
	maxFields  = 20_000
	maxOptions = 1000     // of one field
	maxString  = 32 << 10 // bytes of a name, a value or a title
	maxMessage = 32 << 20
	maxAnswer  = 256 << 20
	maxEnd     = 1 << 20 // bytes of the last message, and its size
	sizeBytes  = 4       // of the size of a message
	// maxPoints bounds the sides of a page. It exceeds the largest size that can be
	// declared: 14 400 units of up to 75 000/72 points.
	maxPoints = 1 << 24
)

// unit is the number of units per page width or height in which the processes exchange
// boxes.
const unit = 1_000_000

// message is a part of an answer. Exactly one of its fields is set.
type message struct {
	Page *pageMessage `json:"page,omitempty"`
	End  *endMessage  `json:"end,omitempty"`
	// Count is the number of pages of the file.
	Count int `json:"count,omitzero"`
	// Refused is the reason why the file cannot be read.
	Refused refusal `json:"refused,omitempty"`
}

// pageMessage is a page.
type pageMessage struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Text   string  `json:"text"`
	// Words holds the start and the end of each word in Text, and its box.
	Words  []wordMessage  `json:"words"`
	Fields []fieldMessage `json:"fields,omitempty"`
}

// wordMessage holds start, end, left, top, right and bottom.
type wordMessage [6]int

// fieldMessage is a field of a page.
type fieldMessage struct {
	Field `json:",inline"`
	// Place holds left, top, right and bottom.
	Place [4]int `json:"place"`
}

// endMessage is the last message of an answer.
type endMessage struct {
	Title   string `json:"title"`
	Created string `json:"created"` // in the date format of PDF
}

// refusal is the reason why a file cannot be read.
type refusal string

const (
	encrypted refusal = "encrypted"
	damaged   refusal = "damaged"
	noPages   refusal = "no pages"
	lostPage  refusal = "lost page"
	tooMany   refusal = "pages"
	tooLong   refusal = "text"
	noText    refusal = "no text"
)

// sender writes an answer.
type sender struct {
	w io.Writer
	// pages counts the bytes of page messages.
	pages int
}

// send writes a message. The error is an errRefused if a page exceeds the limits of an
// answer.
func (s *sender) send(m message) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if m.Page != nil {
		if s.pages += sizeBytes + len(raw); len(raw) > maxMessage || s.pages > maxAnswer-maxEnd {
			return errRefused(tooLong)
		}
	}
	if err := binary.Write(s.w, binary.BigEndian, uint32(len(raw))); err != nil {
		return err
	}
	_, err = s.w.Write(raw)
	return err
}

// errRefused is a refusal on its way to the reader.
type errRefused refusal

func (e errRefused) Error() string { return "refused: " + string(e) }

// receive reads an answer. The error is an errRefused if the process refused the file;
// any other error means that the answer is invalid or incomplete.
func receive(r io.Reader, maxPages int) (*File, error) {
	a := answer{maxPages: maxPages}
	r = io.LimitReader(r, maxAnswer)
	for {
		m, err := receiveMessage(r)
		switch {
		case err != nil:
			return nil, err
		case m.Refused != "":
			return nil, errRefused(m.Refused)
		case m.Page != nil:
			if err := a.addPage(m.Page); err != nil {
				return nil, fmt.Errorf("page %d: %w", len(a.file.Pages), err)
			}
		case m.End != nil:
			return a.end(m.End)
		default:
			return nil, errors.New("a message is empty")
		}
	}
}

// maxCount exceeds the number of pages of any file within the size limit.
const maxCount = 1 << 30

// receiveCount receives the answer to taskCount. Its errors are those of receive.
func receiveCount(r io.Reader) (int, error) {
	m, err := receiveMessage(r)
	switch {
	case err != nil:
		return 0, err
	case m.Refused != "":
		return 0, errRefused(m.Refused)
	case m.Count < 1 || m.Count > maxCount:
		return 0, fmt.Errorf("the answer has an invalid count of %d pages", m.Count)
	}
	return m.Count, nil
}

// receiveMessage reads one message.
func receiveMessage(r io.Reader) (message, error) {
	var m message
	var size uint32
	if err := binary.Read(r, binary.BigEndian, &size); err != nil {
		return m, err
	}
	if size > maxMessage {
		return m, fmt.Errorf("a message of %d bytes", size)
	}
	var raw strings.Builder // grows with the bytes received, not with the announced size
	if n, err := io.CopyN(&raw, r, int64(size)); err != nil {
		return m, fmt.Errorf("%d of %d bytes of a message: %w", n, size, err)
	}
	return m, json.UnmarshalRead(strings.NewReader(raw.String()), &m)
}

// answer is the part of an answer received so far.
type answer struct {
	file     File
	text     strings.Builder
	maxPages int
}

func (a *answer) addPage(p *pageMessage) error {
	a.file.Pages = append(a.file.Pages, layout.Page{
		Span:  layout.Span{Start: a.text.Len(), End: a.text.Len() + len(p.Text)},
		Width: p.Width, Height: p.Height,
	})
	switch {
	case len(a.file.Pages) > a.maxPages:
		return errors.New("there are too many pages")
	case !isLength(p.Width) || !isLength(p.Height):
		return fmt.Errorf("it is %g by %g points", p.Width, p.Height)
	case a.text.Len()+len(p.Text) > maxText || len(a.file.Words)+len(p.Words) > maxWords || len(a.file.Fields)+len(p.Fields) > maxFields:
		return errors.New("it exceeds the limits of the answer")
	case p.Text != "" && !strings.HasSuffix(p.Text, "\n"):
		return errors.New("its text does not end with a line break")
	}
	if err := a.addWords(p); err != nil {
		return err
	}
	a.text.WriteString(p.Text)
	return a.addFields(p.Fields)
}

func isLength(points float64) bool { return points > 0 && points <= maxPoints } // false for NaN

func (a *answer) addWords(p *pageMessage) error {
	end, offset := 0, a.text.Len()
	a.file.Words = slices.Grow(a.file.Words, len(p.Words))
	for _, w := range p.Words {
		box, ok := boxOf([4]int(w[2:]))
		if !ok || w[0] < end || w[1] <= w[0] || w[1] > len(p.Text) || !isWord(p.Text[w[0]:w[1]]) {
			return fmt.Errorf("a word is at %d", w)
		}
		end = w[1]
		a.file.Words = append(a.file.Words, layout.Word{
			Span: layout.Span{Start: offset + w[0], End: offset + w[1]}, Page: len(a.file.Pages), Box: box,
		})
	}
	return nil
}

// isWord reports whether s is a valid word: whole characters without white space.
func isWord(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsSpace) < 0
}

// boxOf returns the box for left, top, right and bottom in units.
func boxOf(b [4]int) (layout.Box, bool) {
	if b[0] < 0 || b[1] < 0 || b[0] >= b[2] || b[1] >= b[3] || b[2] > unit || b[3] > unit {
		return layout.Box{}, false
	}
	return layout.Box{Left: part(b[0]), Top: part(b[1]), Right: part(b[2]), Bottom: part(b[3])}, true
}

func part(units int) float64 { return float64(units) / unit }

func (a *answer) addFields(fields []fieldMessage) error {
	for _, f := range fields {
		box, ok := boxOf(f.Place)
		if !ok || !isField(f.Field) {
			return errors.New("a field is invalid")
		}
		f.Box, f.Page = box, len(a.file.Pages)
		a.file.Fields = append(a.file.Fields, f.Field)
	}
	return nil
}

func isField(f Field) bool {
	for _, s := range slices.Concat([]string{f.Name, f.Label, f.Value}, f.Options, f.Selected) {
		if len(s) > maxString {
			return false
		}
	}
	return len(f.Options) <= maxOptions && len(f.Selected) <= maxOptions &&
		slices.Contains([]FieldType{Text, Checkbox, Radio, Choice, Signature, Button}, f.Type)
}

func (a *answer) end(e *endMessage) (*File, error) {
	if len(a.file.Pages) == 0 || len(a.file.Words) == 0 || len(e.Title) > maxString {
		return nil, errors.New("there is no page or no word, or the title is too long")
	}
	a.file.Text, a.file.Title, a.file.Created = a.text.String(), e.Title, created(e.Created)
	return &a.file, nil
}

// created parses a date in the format of ISO 32000-1, 7.9.4, in which everything after
// the year is optional. It returns the zero time for an invalid date.
func created(s string) time.Time {
	s = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "D:"), "'", "")
	stamp, zone := s, ""
	if i := strings.IndexAny(s, "+-Z"); i >= 0 {
		stamp, zone = s[:i], s[i:]
	}
	switch {
	case zone == "" || zone[0] == 'Z':
		zone = "+0000"
	case len(zone) == len("+00"):
		zone += "00"
	}
	const layout = "20060102150405"
	for _, n := range []int{14, 12, 10, 8, 6, 4} {
		if len(stamp) != n {
			continue
		}
		if t, err := time.Parse(layout[:n]+"-0700", stamp+zone); err == nil && t.Year() > 0 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// units returns the box in units, clipped to the page and at least one unit wide and
// high. It reports false if the center of b is not on the page.
func units(b layout.Box) (_ [4]int, ok bool) {
	if x, y := (b.Left+b.Right)/2, (b.Top+b.Bottom)/2; !(x >= 0 && x <= 1 && y >= 0 && y <= 1) { // or NaN
		return [4]int{}, false
	}
	left, right := side(b.Left, b.Right)
	top, bottom := side(b.Top, b.Bottom)
	return [4]int{left, top, right, bottom}, true
}

func side(low, high float64) (int, int) {
	// Clip before the conversion: a float that does not fit in an integer converts to an
	// arbitrary value.
	from := int(min(max(math.Floor(low*unit), 0), unit-1))
	return from, max(int(min(math.Ceil(high*unit), unit)), from+1)
}
