package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestPicturesOfAlternatives inserts a picture into both branches of an
// mc:AlternateContent.
func TestPicturesOfAlternatives(t *testing.T) {
	tag := r("{{agreementinput-x;type=image}}")
	file := document(t, body(p(`<mc:AlternateContent><mc:Choice Requires="w14">`+tag+`</mc:Choice><mc:Fallback>`+tag+`</mc:Fallback></mc:AlternateContent>`)))
	filled := fill(t, file, map[string]fields.Filling{"agreementinput-x": {Type: fields.Image, Pictures: []fields.Picture{picture(t, "image/png", 40, 20, 1, 9)}}})
	choice, fallback, _ := strings.Cut(mainPart(t, filled), "<mc:Fallback>")
	if strings.Count(choice, "<w:drawing") != 1 || strings.Count(fallback, "<w:drawing") != 1 {
		t.Errorf("got %s, and %s", choice, fallback)
	}
}
