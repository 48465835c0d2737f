package revision

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// maxDepth is how deep arrays and dictionaries may be nested.
const maxDepth = 100

var errDepth = errors.New("the object is nested too deeply")

// write writes an object in the syntax of PDF.
func write(w *bytes.Buffer, o types.Object, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	switch o := o.(type) {
	case nil:
		w.WriteString("null")
	case types.Boolean:
		w.WriteString(strconv.FormatBool(bool(o)))
	case types.Integer:
		w.WriteString(strconv.Itoa(int(o)))
	case types.Float:
		w.WriteString(number(float64(o)))
	case types.Name:
		writeName(w, string(o))
	case types.StringLiteral:
		w.WriteString("(" + string(o) + ")")
	case types.HexLiteral:
		w.WriteString("<" + string(o) + ">")
	case types.IndirectRef:
		fmt.Fprintf(w, "%d %d R", o.ObjectNumber, o.GenerationNumber)
	default:
		return writeComposite(w, o, depth)
	}
	return nil
}

func writeComposite(w *bytes.Buffer, o types.Object, depth int) error {
	switch o := o.(type) {
	case types.Array:
		return writeArray(w, o, depth)
	case types.Dict:
		return writeDict(w, o, depth)
	case types.StreamDict:
		return writeStream(w, o, depth)
	case types.ObjectStreamDict:
		return writeStream(w, o.StreamDict, depth)
	}
	return fmt.Errorf("unknown object %T", o)
}

func writeArray(w *bytes.Buffer, a types.Array, depth int) error {
	w.WriteByte('[')
	for i, o := range a {
		if i > 0 {
			w.WriteByte(' ')
		}
		if err := write(w, o, depth+1); err != nil {
			return err
		}
	}
	w.WriteByte(']')
	return nil
}

func writeDict(w *bytes.Buffer, d types.Dict, depth int) error {
	w.WriteString("<<")
	for _, key := range slices.Sorted(maps.Keys(d)) {
		writeName(w, key)
		w.WriteByte(' ')
		if err := write(w, d[key], depth+1); err != nil {
			return err
		}
	}
	w.WriteString(">>")
	return nil
}

func writeStream(w *bytes.Buffer, s types.StreamDict, depth int) error {
	d := types.Dict{}
	maps.Copy(d, s.Dict)
	d["Length"] = types.Integer(len(s.Raw))
	if err := writeDict(w, d, depth); err != nil {
		return err
	}
	w.WriteString("\nstream\n")
	w.Write(s.Raw)
	w.WriteString("\nendstream")
	return nil
}

// writeName writes a name. It escapes white space, delimiters, # and all that is not ASCII.
func writeName(w *bytes.Buffer, s string) {
	w.WriteByte('/')
	for i := range len(s) {
		c := s[i]
		if c > ' ' && c < 0x7F && !bytes.ContainsRune([]byte("#()<>[]{}/%"), rune(c)) {
			w.WriteByte(c)
			continue
		}
		fmt.Fprintf(w, "#%02X", c)
	}
}

// number returns a number without exponent.
func number(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
