package judge_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

func pngFile(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegFile(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func dataURL(mediaType string, file []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(file)
}

func TestImages(t *testing.T) {
	yes, no := true, false
	good, photo := dataURL("image/png", pngFile(t, 3, 2)), dataURL("image/jpg", jpegFile(t, 9, 9))
	for name, tc := range map[string]struct {
		f     fields.Field
		value judge.Value
		want  string
	}{
		"one":                  {fields.Field{Type: fields.Image}, one(good), "image|||"},
		"a list of one":        {fields.Field{Type: fields.Image, Multiple: &no}, list(photo), "image|||"},
		"several":              {fields.Field{Type: fields.Image}, list(good, photo, good), "image|||"},
		"several, allowed":     {fields.Field{Type: fields.Image, Multiple: &yes}, list(good, photo), "image|||"},
		"several, not allowed": {fields.Field{Type: fields.Image, Multiple: &no}, list(good, photo), "image_multiple_not_allowed"},
		"cleared":              {fields.Field{Type: fields.Image}, one(""), "image|||"},
		"cleared by a list":    {fields.Field{Type: fields.Image}, list(), "image|||"},
		"an empty item":        {fields.Field{Type: fields.Image}, list(""), "image_invalid_header"},
		"no header":            {fields.Field{Type: fields.Image}, one("iVBORw0KGgo="), "image_invalid_header"},
		"a GIF":                {fields.Field{Type: fields.Image}, one("data:image/gif;base64,R0lGODlh"), "image_unsupported_type"},
		"not base64":           {fields.Field{Type: fields.Image}, one(good + "!"), "image_invalid_base64"},
		"a wrong type":         {fields.Field{Type: fields.Image}, one(strings.Replace(good, "png", "jpeg", 1)), "image_corrupt"},
		"too large":            {fields.Field{Type: fields.Image}, one("data:image/png;base64," + strings.Repeat("AAAA", 10<<20/3+1)), "image_too_large"},
		"every fault":          {fields.Field{Type: fields.Image, Multiple: &no}, list("x", good, "data:image/webp;base64,", "data:image/png;base64,A"), "image_multiple_not_allowed image_invalid_header image_unsupported_type image_invalid_base64"},
		"too many":             {fields.Field{Type: fields.Image}, list(make([]string, 101)...), "too_long"},
		"a written signature":  {fields.Field{Type: fields.Signature}, one("J. Doe"), "signature|J. Doe||"},
		"a drawn signature":    {fields.Field{Type: fields.Signature}, one(good), "signature|||"},
		"two drawn signatures": {fields.Field{Type: fields.Signature}, list(good, photo), "signature|||"},
		"a mixed signature":    {fields.Field{Type: fields.Signature}, list(good, "J. Doe"), "invalid_type"},
		"an empty signature":   {fields.Field{Type: fields.Signature}, one(""), "signature|||"},
		"an empty list":        {fields.Field{Type: fields.Signature}, list(), "signature|||"},
		"a broken signature":   {fields.Field{Type: fields.Signature}, one("DATA:,x"), "image_invalid_header"},
	} {
		if got := verdict(t, tc.f, tc.value); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestPicturesOfARequest(t *testing.T) {
	file := jpegFile(t, 40, 30)
	escaped := strings.ReplaceAll(dataURL("image/jpeg", file), "/", `\/`)
	var checker judge.Checker
	filling, faults, err := checker.Check(t.Context(), fields.Field{Type: fields.Image}, judge.Value{Items: []judge.Encoded{{JSON: []byte(escaped)}}})
	if err != nil || len(faults) > 0 || len(filling.Pictures) != 1 {
		t.Fatalf("got %+v, %+v, %v", filling, faults, err)
	}
	p := filling.Pictures[0]
	for range 2 {
		if got, err := io.ReadAll(p.Open()); err != nil || !bytes.Equal(got, file) {
			t.Errorf("got %d bytes, %v, want %d", len(got), err, len(file))
		}
	}
	if p.Width != 40 || p.Height != 30 || p.Orientation != 1 || p.Size != int64(len(file)) || p.MediaType != "image/jpeg" {
		t.Errorf("got %+v", p)
	}
}
