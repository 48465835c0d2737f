package form

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/revision"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

func seeds(f *testing.F) {
	for _, n := range pdfforms.All() {
		f.Add(n.File)
	}
	f.Add(pdfforms.OnlyXFA())
	f.Add(signedForm("", "/Lock<</Action/All>>", "/Reference[<</TransformMethod/DocMDP>>]"))
}

func FuzzDescribe(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		before, err := Describe(file)
		var refusal Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("got %v", err)
		}
		r, adopting := Adopt(file)
		switch {
		case adopting != nil && !errors.As(adopting, &refusal):
			t.Errorf("Adopt: got %v", adopting)
		case err != nil || adopting != nil || len(r.Update) == 0:
		default:
			after, err := Describe(applied(file, r))
			if err != nil || len(after.Details) != len(before.Details) {
				t.Errorf("adopting turns %d widgets into %+v, %v", len(before.Details), after, err)
			}
		}
	})
}

func FuzzFill(f *testing.F) {
	seeds(f)
	all := fonts()
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := Describe(file)
		if err != nil {
			return
		}
		o := Order{Values: []Value{{Text: "Łukasz", Stamps: []Stamp{{Page: 1, Box: place}}}}}
		for ref := range d.Details {
			if len(o.Values) < 20 {
				o.Values = append(o.Values, Value{Text: "x", Widgets: []Widget{{Ref: ref, On: true}}})
			}
		}
		for n := range o.Values {
			r, err := Fill(file, Order{Values: o.Values[n:]}, nil, all)
			if err != nil {
				continue
			}
			out := applied(file, r)
			if _, err := Describe(out); err != nil {
				t.Fatalf("the result cannot be read: %v", err)
			}
			if _, err := revision.Parse(out); err != nil {
				t.Fatalf("the result has no cross-reference sections: %v", err)
			}
			break
		}
	})
}

func FuzzFlatten(f *testing.F) {
	seeds(f)
	f.Add(taggedForm())
	all := fonts()
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := Fill(file, Order{Flatten: true}, nil, all)
		if err != nil {
			var refusal Refusal
			var missing *typeset.MissingError
			if !errors.As(err, &refusal) && !errors.As(err, &missing) {
				t.Errorf("got %v", err)
			}
			return
		}
		if r.Whole || len(r.Update) == 0 { // a damaged file may stay damaged
			return
		}
		out := applied(file, r)
		if _, err := Describe(out); err != nil {
			t.Fatalf("the result cannot be read: %v", err)
		}
		if _, err := revision.Parse(out); err != nil {
			t.Fatalf("the result has no cross-reference sections: %v", err)
		}
	})
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("q (a\\)(b)) Tj <71> << /q 1 >> % q\nBI ID q EI Q Q"))
	f.Fuzz(func(t *testing.T, content []byte) {
		s := scanner{}
		s.scan(content)
		if n := bytes.Count(bytes.ToLower(content), []byte("q")); s.depth+s.unsaved > n {
			t.Errorf("%d operators of %d", s.depth+s.unsaved, n)
		}
	})
}
