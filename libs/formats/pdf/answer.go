package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// opening says what to do with the first pages of a longer file. The zero opening does
// nothing.
type opening struct {
	pages int
	// read is called with them before the next page is received.
	read func(*File)
}

// receive reads an answer. The error is an errRefused if the process refused the file;
// any other error means that the answer is invalid or incomplete.
func receive(r io.Reader, maxPages int, first opening) (*File, error) {
	var a answer
	r = io.LimitReader(r, maxAnswer)
	begin, err := receiveOne(r)
	if err == nil {
		err = a.begin(begin.Begin, maxPages)
	}
	if err != nil {
		return nil, err
	}
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
			if n := len(a.file.Pages); n == first.pages && n < a.pages {
				first.read(a.sofar())
			}
		case m.End != nil:
			return a.end(m.End)
		default:
			return nil, errors.New("a message is empty or out of order")
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
	file File
	text strings.Builder
	// pages is how many pages the process announced.
	pages int
}

// begin checks and keeps the begin message, nil if there is none.
func (a *answer) begin(b *beginMessage, maxPages int) error {
	switch {
	case b == nil || b.Pages < 1 || b.Pages > maxPages:
		return errors.New("the answer does not begin with a possible number of pages")
	case max(len(b.Title), len(b.HBREF)) > maxString:
		return errors.New("an entry of the metadata is too long")
	}
	a.pages = b.Pages
	a.file.Title, a.file.Created, a.file.HBREF = b.Title, created(b.Created), b.HBREF
	return nil
}

// sofar returns the pages received so far as a file. Pages that are received later do not
// change it.
func (a *answer) sofar() *File {
	f := a.file
	f.Text = a.text.String()
	f.Pages, f.Words, f.Fields, f.Rules = slices.Clip(f.Pages), slices.Clip(f.Words), slices.Clip(f.Fields), slices.Clip(f.Rules)
	return &f
}

func (a *answer) addPage(p *pageMessage) error {
	a.file.Pages = append(a.file.Pages, layout.Page{
		Span:  layout.Span{Start: a.text.Len(), End: a.text.Len() + len(p.Text)},
		Width: p.Width, Height: p.Height,
	})
	switch {
	case len(a.file.Pages) > a.pages:
		return errors.New("there are too many pages")
	case !isLength(p.Width) || !isLength(p.Height) || !isRotation(p.Rotation):
		return fmt.Errorf("it is %g by %g points, rotated by %d degrees", p.Width, p.Height, p.Rotation)
	case len(p.Rules) > maxPageRules || len(a.file.Rules)+len(p.Rules) > maxRules:
		return errors.New("it has too many rules")
	case a.text.Len()+len(p.Text) > maxText || len(a.file.Words)+len(p.Words) > maxWords || len(a.file.Fields)+len(p.Fields) > maxFields:
		return errors.New("it exceeds the limits of the answer")
	case p.Text != "" && !strings.HasSuffix(p.Text, "\n"):
		return errors.New("its text does not end with a line break")
	}
	if err := a.addWords(p); err != nil {
		return err
	}
	a.text.WriteString(p.Text)
	if err := a.addRules(p.Rules); err != nil {
		return err
	}
	return a.addFields(p.Fields)
}

func isLength(points float64) bool { return points > 0 && points <= maxPoints } // false for NaN

func isRotation(degrees int) bool { return degrees >= 0 && degrees < 360 && degrees%90 == 0 }

func (a *answer) addRules(rules []ruleMessage) error {
	for _, r := range rules {
		box, ok := boxOf([4]int(r[:]))
		if !ok || r[4]&1 != r[4] {
			return fmt.Errorf("a rule is at %d", r)
		}
		a.file.Rules = append(a.file.Rules, Rule{Page: len(a.file.Pages), Box: box, Filled: r[4] == 1})
	}
	return nil
}

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
	return len(f.Options) <= maxOptions && len(f.Selected) <= maxOptions && f.Annotation >= 0 && isDetails(f.Details) &&
		slices.Contains([]FieldType{Text, Checkbox, Radio, Choice, Signature, Button}, f.Type)
}

// isDetails reports whether the details are within the limits of a field.
func isDetails(d form.Details) bool {
	for _, o := range d.Options {
		if len(o.Display) > maxString || len(o.Export) > maxString {
			return false
		}
	}
	return max(len(d.Name), len(d.State), len(d.Caption), len(d.Format)) <= maxString &&
		len(d.Options) <= maxOptions && d.MaxLength >= 0 && d.First.Page >= 0 && d.First.Annotation >= 0
}

func (a *answer) end(e *endMessage) (*File, error) {
	if len(a.file.Pages) != a.pages {
		return nil, fmt.Errorf("there are %d pages of %d", len(a.file.Pages), a.pages)
	}
	a.file.Text, a.file.Signed = a.text.String(), e.Signed
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
