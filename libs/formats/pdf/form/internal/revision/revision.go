// Package revision writes the objects of a PDF file: as an incremental update, which is
// appended to the file and leaves its bytes as they are, or as a new file. It knows
// objects, their encryption and cross-reference sections, not what objects mean.
package revision

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Object is an indirect object to write.
type Object struct {
	Number, Generation int
	Value              types.Object
}

// Trailer holds the entries of a trailer that readers need. Root is required; the others
// may be missing.
type Trailer struct {
	Root, Info, Encrypt *types.IndirectRef
	// ID is the identifier of the file.
	ID types.Array
	// Size is one more than the highest number of an object.
	Size int
}

// Append returns what is to be appended to a file with these sections, so that the
// objects replace those of the same numbers.
func Append(file []byte, s *Sections, objects []Object, t Trailer, c *Cipher) ([]byte, error) {
	w := &writer{base: len(file), cipher: c, offsets: map[int]entry{}}
	if !bytes.HasSuffix(file, []byte("\n")) {
		w.WriteByte('\n')
	}
	if err := w.objects(objects); err != nil {
		return nil, err
	}
	w.finish(t, s.Stream, s.Start)
	return w.Bytes(), nil
}

// maxGaps is how many numbers a new file may leave unused, beyond a multiple of those in
// use.
const maxGaps = 10_000

// Write returns a new file with these objects.
func Write(objects []Object, t Trailer, c *Cipher) ([]byte, error) {
	w := &writer{cipher: c, offsets: map[int]entry{0: {generation: 65535}}}
	w.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	if err := w.objects(objects); err != nil {
		return nil, err
	}
	if t.Size <= maxGaps+4*len(objects) { // the table of a new file has no gaps
		for n := range t.Size {
			if _, ok := w.offsets[n]; !ok {
				w.offsets[n] = entry{generation: 65535}
			}
		}
	}
	w.finish(t, false, -1)
	return w.Bytes(), nil
}

// entry is an entry of a cross-reference section. Offset 0 means a free object.
type entry struct {
	offset, generation int
}

type writer struct {
	bytes.Buffer
	// base is the number of bytes of the file before the buffer.
	base    int
	cipher  *Cipher
	offsets map[int]entry
}

// errSize means that a cross-reference section cannot hold the offset of an object.
var errSize = errors.New("the file is too large")

func (w *writer) objects(objects []Object) error {
	for _, o := range objects {
		if w.base+w.Len() > math.MaxUint32 {
			return errSize
		}
		w.offsets[o.Number] = entry{w.base + w.Len(), o.Generation}
		fmt.Fprintf(w, "%d %d obj\n", o.Number, o.Generation)
		v, err := w.cipher.object(o)
		if err != nil {
			return err
		}
		if err := write(&w.Buffer, v, 0); err != nil {
			return fmt.Errorf("object %d: %w", o.Number, err)
		}
		w.WriteString("\nendobj\n")
	}
	return nil
}

// finish writes the cross-reference section and the trailer. previous is the offset of the
// section before, or -1.
func (w *writer) finish(t Trailer, stream bool, previous int64) {
	d := t.dict(w.Bytes())
	if previous >= 0 {
		d["Prev"] = types.Integer(previous)
	}
	start := w.base + w.Len()
	if stream {
		w.stream(t.Size, start, d)
	} else {
		w.table(d)
	}
	fmt.Fprintf(w, "startxref\n%d\n%%%%EOF\n", start)
}

// dict returns the entries of the trailer. The second part of the ID stands for the new
// content.
func (t Trailer) dict(content []byte) types.Dict {
	d := types.Dict{"Size": types.Integer(t.Size), "Root": *t.Root}
	if t.Info != nil {
		d["Info"] = *t.Info
	}
	if t.Encrypt != nil {
		d["Encrypt"] = *t.Encrypt
	}
	if len(t.ID) > 0 {
		sum := sha256.Sum256(content)
		d["ID"] = types.Array{t.ID[0], types.NewHexLiteral(sum[:16])}
	}
	return d
}

// table writes a cross-reference table.
func (w *writer) table(trailer types.Dict) {
	w.WriteString("xref\n")
	for numbers := slices.Sorted(maps.Keys(w.offsets)); len(numbers) > 0; {
		n := run(numbers)
		fmt.Fprintf(w, "%d %d\n", numbers[0], n)
		for _, number := range numbers[:n] {
			e, kind := w.offsets[number], 'n'
			if e.offset == 0 {
				kind = 'f'
			}
			fmt.Fprintf(w, "%010d %05d %c \n", e.offset, e.generation, kind)
		}
		numbers = numbers[n:]
	}
	w.WriteString("trailer\n")
	_ = write(&w.Buffer, trailer, 0)
	w.WriteByte('\n')
}

// run returns how many numbers at the beginning are consecutive.
func run(numbers []int) int {
	n := 1
	for n < len(numbers) && numbers[n] == numbers[0]+n {
		n++
	}
	return n
}

// stream writes a cross-reference stream, which is an object itself.
func (w *writer) stream(number, start int, d types.Dict) {
	w.offsets[number] = entry{offset: start}
	var rows bytes.Buffer
	var index types.Array
	for numbers := slices.Sorted(maps.Keys(w.offsets)); len(numbers) > 0; {
		n := run(numbers)
		index = append(index, types.Integer(numbers[0]), types.Integer(n))
		for _, number := range numbers[:n] {
			e := w.offsets[number]
			rows.Write([]byte{1, byte(e.offset >> 24), byte(e.offset >> 16), byte(e.offset >> 8), byte(e.offset), byte(e.generation >> 8), byte(e.generation)})
		}
		numbers = numbers[n:]
	}
	d["Type"], d["Size"] = types.Name("XRef"), types.Integer(number+1)
	d["Index"], d["W"] = index, types.NewIntegerArray(1, 4, 2)
	w.WriteString(strconv.Itoa(number) + " 0 obj\n")
	_ = write(&w.Buffer, types.StreamDict{Dict: d, Raw: rows.Bytes()}, 0)
	w.WriteString("\nendobj\n")
}
