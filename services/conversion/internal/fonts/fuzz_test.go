package fonts_test

import (
	"bytes"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// FuzzNamed checks that nothing panics, that no damage is an error, and that names are few,
// short, printable and sorted the same way each time.
func FuzzNamed(f *testing.F) {
	f.Add(`<w:rFonts w:ascii="A" w:asciiTheme="majorHAnsi" w:cs='B'/><!-- x --><a:latin typeface="+mn-lt"/>`)
	f.Add(`<style:font-face style:name="F" svg:font-family="'Liberation Sans', x"/><p style:font-name="F" fo:font-family="G"/>`)
	f.Add(`{\rtf1\deff0{\fonttbl{\f0\fcharset0{\*\falt B}A\u246\'f6;}}\f0\bin3 xyz}`)
	f.Add(`<style>p{font-family:"A",B;font:12px/1 C}</style><font face=D><p style="font: bold 1em E"><script></script>`)
	f.Fuzz(func(t *testing.T, text string) {
		office := container(t, map[string]string{"word/theme/theme1.xml": text, "word/document.xml": text})
		open := container(t, map[string]string{"content.xml": text, "styles.xml": text})
		for _, test := range []struct {
			kind     filetype.Type
			document string
		}{
			{filetype.DOCX, office}, {filetype.XLSX, office}, {filetype.ODT, open}, {filetype.DOCX, text}, {filetype.RTF, text}, {filetype.HTML, text},
		} {
			r := bytes.NewReader([]byte(test.document))
			list, err := fonts.Named(r, r.Size(), test.kind)
			if err != nil {
				t.Fatal(err)
			}
			checkNames(t, list)
			if again, _ := fonts.Named(r, r.Size(), test.kind); len(again) != len(list) {
				t.Errorf("got %q and then %q", list, again)
			}
		}
	})
}

// FuzzEmbedded does the same for the fonts of PDF files.
func FuzzEmbedded(f *testing.F) {
	f.Add([]byte("%PDF-1.7\n/FontName/BAAAAA+LiberationSans-Bold /BaseFont /A#20B>>"))
	f.Add([]byte(objectStream("<</BaseFont/BAAAAA+Carlito-Bold>>")))
	f.Fuzz(func(t *testing.T, file []byte) {
		list, err := fonts.Embedded(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, list)
	})
}

func checkNames(t *testing.T, list []string) {
	t.Helper()
	if len(list) > 200 {
		t.Errorf("%d names", len(list))
	}
	for _, name := range list {
		if name == "" || utf8.RuneCountInString(name) > 100 || !utf8.ValidString(name) ||
			slices.ContainsFunc([]rune(name), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("the name is %q", name)
		}
	}
}
