package revision

import (
	"errors"
	"math"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

func TestOffsetsThatAreTooLarge(t *testing.T) {
	w := &writer{base: math.MaxUint32 - 10, offsets: map[int]entry{}}
	objects := []Object{{1, 0, types.Dict{}}, {2, 0, types.Dict{}}}
	if err := w.objects(objects[:1]); err != nil {
		t.Errorf("got %v", err)
	}
	if err := w.objects(objects[1:]); !errors.Is(err, errSize) {
		t.Errorf("got %v", err)
	}
}
