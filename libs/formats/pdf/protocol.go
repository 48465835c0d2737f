package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// The reader and its process exchange, in this order: a byte when the process is ready; a
// header; the parameters of the task as JSON; the file; the pictures of the parameters; and
// messages, each as its size in four bytes followed by JSON. The last message ends the
// answer, unless it announces a blob, which follows: chunks, each as its size in four bytes
// followed by its bytes, up to an empty chunk. Numbers are big-endian.

// task is what a process does with its file.
type task byte

const (
	taskRead   task = 'r' // the answer has a begin message, a message per page, and an end message
	taskCount  task = 'c' // the answer is the number of pages
	taskSizes  task = 's' // the answer has messages with sizes of pages, and an end message
	taskWords  task = 'w' // the answer is a page
	taskRender task = 'i' // the answer is a blob, a PNG
	taskFill   task = 'f' // the answer is a blob, the update or the filled file
	taskFlaws  task = 'k' // the answer lists why the file does not conform to a profile
	taskShow   task = 'p' // the file is a picture, and the answer a blob, a PDF that shows it
)

// header begins what the reader sends.
type header struct {
	Task task
	// Parameters and Size are the bytes of the parameters and of the file.
	Parameters uint32
	Size       int64
}

// parameters are what a task needs to know besides the file.
type parameters struct {
	// Page counts from 1.
	Page int `json:"page,omitzero"`
	// Width is in pixels.
	Width int `json:"width,omitzero"`
	// Picture is the media type of a picture.
	Picture string `json:"picture,omitzero"`
	// Profile is a profile of package form.
	Profile string `json:"profile,omitzero"`
	// Again reports whether another file may follow.
	Again bool `json:"again,omitzero"`
	// Order says how a form is filled.
	Order form.Order `json:"order,omitzero"`
}

// Limits of an answer. The process respects them, so that a file which exceeds one is
// refused for that reason. The reader does not rely on this.
const (
	maxText   = 16 << 20 // bytes of text
	maxWords  = 1 << 20
	maxFields = 20_000
	maxRules  = 50_000
	// maxPageRules bounds the rules of one page.
	maxPageRules = 2000
	maxOptions   = 1000     // of one field
	maxString    = 32 << 10 // bytes of a name, a value or a title
	maxMessage   = 32 << 20
	maxAnswer    = 256 << 20
	maxEnd       = 1 << 20 // bytes of the messages before and after the pages, and their sizes
	sizeBytes    = 4       // of the size of a message
	// maxParameters bounds the parameters, in bytes.
	maxParameters = 32 << 20
	// maxSizes is how many sizes of pages a message holds.
	maxSizes = 10_000
	// maxChunk bounds a chunk of a blob, in bytes.
	maxChunk = 1 << 20
	// maxPoints bounds the sides of a page. It exceeds the largest size that can be
	// declared: 14 400 units of up to 75 000/72 points.
	maxPoints = 1 << 24
)

// unit is the number of units per page width or height in which the processes exchange
// boxes.
const unit = 1_000_000

// message is a part of an answer. Exactly one of its fields is set.
type message struct {
	Begin *beginMessage `json:"begin,omitempty"`
	Page  *pageMessage  `json:"page,omitempty"`
	End   *endMessage   `json:"end,omitempty"`
	// Count is the number of pages of the file.
	Count int `json:"count,omitzero"`
	// Sizes are the sizes of the next pages.
	Sizes []sizeMessage `json:"sizes,omitempty"`
	// Flaws is why the file does not conform. It is not nil in an answer to taskFlaws.
	Flaws *[]string `json:"flaws,omitzero"`
	// Picture announces a PNG as a blob.
	Picture bool `json:"picture,omitzero"`
	// Filled announces the outcome of filling as a blob.
	Filled *filledMessage `json:"filled,omitempty"`
	// Missing is a character that no font has.
	Missing rune `json:"missing,omitzero"`
	// Refused is the reason why the file cannot be read or filled.
	Refused refusal `json:"refused,omitempty"`
}

// pageMessage is a page.
type pageMessage struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Rotation is in degrees.
	Rotation int    `json:"rotation,omitzero"`
	Text     string `json:"text"`
	// Words holds the start and the end of each word in Text, and its box.
	Words  []wordMessage  `json:"words"`
	Fields []fieldMessage `json:"fields,omitempty"`
	Rules  []ruleMessage  `json:"rules,omitempty"`
}

// wordMessage holds start, end, left, top, right and bottom.
type wordMessage [6]int

// fieldMessage is a field of a page.
type fieldMessage struct {
	Field `json:",inline"`
	// Place holds left, top, right and bottom.
	Place [4]int `json:"place"`
}

// ruleMessage holds left, top, right, bottom, and 1 if the inside is filled.
type ruleMessage [5]int

// sizeMessage holds the width and the height of a page in points, and its rotation in
// degrees.
type sizeMessage [3]float64

// filledMessage announces a filled file.
type filledMessage struct {
	// Whole reports whether the blob is the filled file and not an update of the original.
	Whole        bool `json:"whole,omitzero"`
	Calculations bool `json:"calculations,omitzero"`
	// Illegible holds indices of the values of the order, in ascending order.
	Illegible []int `json:"illegible,omitzero"`
	// Size is the size of the blob in bytes.
	Size int64 `json:"size"`
}

// beginMessage comes before the pages, so that the reader can use the first of them while
// the process reads the others.
type beginMessage struct {
	// Pages is how many pages follow.
	Pages   int    `json:"pages"`
	Title   string `json:"title"`
	Created string `json:"created"` // in the date format of PDF
	HBREF   string `json:"hbref,omitzero"`
}

// endMessage is the last message of an answer.
type endMessage struct {
	// Signed is at the end because a page may have the first signature of a file that
	// declares no form.
	Signed bool `json:"signed"`
}

// refusal is the reason why a file cannot be read or filled. The reasons of package form
// are refusals too.
type refusal string

const (
	encrypted refusal = "encrypted"
	damaged   refusal = "damaged"
	noPages   refusal = "no pages"
	lostPage  refusal = "lost page"
	tooMany   refusal = "pages"
	tooLong   refusal = "text"
	noText    refusal = "no text"
	noPage    refusal = "no such page"
	tooLarge  refusal = "size"
	// unreadable means that only PDFium might read the file, which the process lacks.
	unreadable refusal = "unreadable without PDFium"
)

// sender writes an answer.
type sender struct {
	w io.Writer
	// flush sends what w holds back. It is nil if w holds nothing back.
	flush func() error
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
	if _, err = s.w.Write(raw); err == nil && m.Page != nil && s.flush != nil {
		err = s.flush() // the reader need not wait for the next page to use this one
	}
	return err
}

// errRefused is a refusal on its way to the reader.
type errRefused refusal

func (e errRefused) Error() string { return "refused: " + string(e) }

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

// blobWriter writes a blob in chunks. Close ends the blob.
type blobWriter struct{ w io.Writer }

// Write implements io.Writer.
func (b blobWriter) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		chunk := p[written:min(written+maxChunk, len(p))]
		if err := binary.Write(b.w, binary.BigEndian, uint32(len(chunk))); err != nil {
			return written, err
		}
		n, err := b.w.Write(chunk)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Close writes the empty chunk. It closes nothing else.
func (b blobWriter) Close() error { return binary.Write(b.w, binary.BigEndian, uint32(0)) }

// receiveBlob copies a blob of at most limit bytes from r to w, and returns its size.
func receiveBlob(r io.Reader, w io.Writer, limit int64) (int64, error) {
	var total int64
	for {
		var size uint32
		if err := binary.Read(r, binary.BigEndian, &size); err != nil {
			return total, unexpected(err)
		}
		switch {
		case size == 0:
			return total, nil
		case size > maxChunk || total+int64(size) > limit:
			return total, fmt.Errorf("a chunk of %d bytes after %d of at most %d", size, total, limit)
		}
		n, err := io.CopyN(w, r, int64(size))
		total += n
		if err != nil {
			return total, unexpected(err)
		}
	}
}

// unexpected returns err, or io.ErrUnexpectedEOF for io.EOF.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
