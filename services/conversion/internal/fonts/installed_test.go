package fonts_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// fontFile returns a font that has names only: its family, and the one of PostScript.
func fontFile(family, postScript string, offset int) []byte {
	be := binary.BigEndian
	table := be.AppendUint16(be.AppendUint16(be.AppendUint16(nil, 0), 2), 6+2*12)
	var text []byte
	for id, name := range map[uint16]string{1: family, 6: postScript} {
		start := len(text)
		for _, c := range name {
			text = be.AppendUint16(text, uint16(c))
		}
		for _, v := range []uint16{3, 1, 0x409, id, uint16(len(text) - start), uint16(start)} {
			table = be.AppendUint16(table, v)
		}
	}
	table = append(table, text...)
	font := append([]byte("\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00name\x00\x00\x00\x00"), be.AppendUint32(be.AppendUint32(nil, uint32(offset+28)), uint32(len(table)))...)
	return append(font, table...)
}

// collection returns a file that holds two fonts.
func collection(first, second string) []byte {
	be := binary.BigEndian
	const header = 20
	a := fontFile(first, first, header)
	b := fontFile(second, second, header+len(a))
	file := append([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x02"), be.AppendUint32(be.AppendUint32(nil, header), uint32(header+len(a)))...)
	return append(append(file, a...), b...)
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// madeConfig returns a configuration of fontconfig with a few fonts.
func madeConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir+"/fonts.conf", []byte(`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig><dir>`+dir+
		`/fonts</dir><dir prefix="xdg">none</dir><dir>~/.fonts</dir><include ignore_missing="yes">conf.d</include><include>missing</include></fontconfig>`))
	write(t, dir+"/conf.d/10-first.conf", []byte(`<fontconfig>
		<alias binding="same"><family>Original</family><accept><family>Metric</family></accept></alias>
		<alias><family>Fancy</family><default><family>serif</family></default></alias>
		<match target="pattern"><test qual="all" name="family" compare="not_eq"><string>serif</string></test><edit name="family" mode="append_last"><string>sans-serif</string></edit></match>
		<match><test name="lang"><string>en</string></test><edit name="family" mode="prepend" binding="strong"><string>Metric</string></edit></match></fontconfig>`))
	write(t, dir+"/conf.d/20-second.conf", []byte(`<fontconfig>
		<alias><family>serif</family><prefer><family>Missing</family><family>Good Serif</family></prefer></alias>
		<alias><family>sans-serif</family><prefer><family>Good Sans</family></prefer></alias></fontconfig>`))
	write(t, dir+"/conf.d/README", []byte("not XML"))
	write(t, dir+"/fonts/a/metric.TTF", fontFile("Metric", "Metric-Regular", 0))
	write(t, dir+"/fonts/a/collection.ttc", collection("Good Serif", "Good Sans"))
	write(t, dir+"/fonts/damaged.ttf", []byte("\x00\x01\x00\x00\xff\xff"))
	write(t, dir+"/fonts/text.txt", fontFile("Text", "Text", 0))
	return dir + "/fonts.conf"
}

// TestReplaced reports missing fonts whose replacement is in the PDF.
func TestReplaced(t *testing.T) {
	installed, err := fonts.Load(madeConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	for font, want := range map[string]string{
		"Original": "Metric", "ORIGINAL": "Metric", "good serif": "Good Serif", "Fancy": "Good Serif", "Unknown": "Good Sans", "Text": "Good Sans",
	} {
		if got := installed.Replacement(font); got != want {
			t.Errorf("%s: got %q, want %q", font, got, want)
		}
	}
	named := []string{"Fancy", "metric", "Original", "Unknown", "Wingdings"}
	got := installed.Replaced(named, []string{"Metric", "GoodSerif"})
	if want := []conversionapi.ReplacedFont{{Font: "Fancy", Replacement: "Good Serif"}, {Font: "Original", Replacement: "Metric"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := installed.Replaced(named, nil); len(got) != 0 {
		t.Errorf("got %v without embedded fonts", got)
	}
}

// TestReplacedSymbols reports the font that LibreOffice shows symbols with.
func TestReplacedSymbols(t *testing.T) {
	got := load(t).Replaced([]string{"Wingdings"}, []string{"OpenSymbol", "NotoSans", "DejaVuSans"})
	if want := []conversionapi.ReplacedFont{{Font: "Wingdings", Replacement: "OpenSymbol"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestReplacedLetters reports the font of letters in a font of symbols, and one that is embedded
// as Type 1.
func TestReplacedLetters(t *testing.T) {
	installed := load(t)
	symbols := installed.Replacement("Wingdings")
	got := installed.Replaced([]string{"Wingdings"}, []string{strings.ReplaceAll(symbols, " ", "")})
	if want := []conversionapi.ReplacedFont{{Font: "Wingdings", Replacement: symbols}}; symbols == "" || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	made, err := fonts.Load(madeConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	got = made.Replaced([]string{"Original"}, []string{"MetricRegular"})
	if want := []conversionapi.ReplacedFont{{Font: "Original", Replacement: "Metric"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLoadErrors name the file at fault.
func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/damaged.conf", []byte(`<fontconfig><alias>`))
	write(t, dir+"/loop.conf", []byte(`<fontconfig><include>loop.conf</include></fontconfig>`))
	write(t, dir+"/empty.conf", []byte(`<fontconfig><dir>/nonexistent</dir></fontconfig>`))
	for name, want := range map[string]string{"damaged": "damaged.conf", "loop": "too many", "empty": "no fonts in /nonexistent", "missing": "missing.conf"} {
		if _, err := fonts.Load(dir + "/" + name + ".conf"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// objectStream returns an object stream that holds the text.
func objectStream(text string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return fmt.Sprintf("1 0 obj\n<</Type/ObjStm/N 1/First 4/Length %d/Filter/FlateDecode>>\nstream\r\n%s\nendstream\nendobj\n", out.Len(), out.String())
}

// TestEmbedded finds names wherever they are in a file, and none of fonts that are not
// embedded.
func TestEmbedded(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"plain":     {"%PDF-1.7\n<</Type/FontDescriptor/FontName/BAAAAA+LiberationSans-Bold\n/Flags 4>>\n<</BaseFont/CAAAAA+LiberationSans>>", "LiberationSans"},
		"spaces":    {"/FontName  /CAAAAA+Noto#20Sans#2DItalic>>/BaseFont\r\n/DAAAAA+Carlito ", "Carlito|Noto Sans"},
		"whole":     {"/FontName/DejaVuSans ", "DejaVuSans"},
		"standard":  {"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", ""},
		"cut":       {"/BaseFont/BAAAAA+Cut", ""},
		"no name":   {"/BaseFont 12 0 R /FontName(", ""},
		"long":      {"/FontName/" + strings.Repeat("a", 300) + " ", ""},
		"far":       {strings.Repeat("/x ", 100_000) + strings.Repeat(" ", 70_000) + "/BaseFont/BAAAAA+Caladea/", "Caladea"},
		"objects":   {"%PDF" + objectStream("<</BaseFont/BAAAAA+Carlito-Bold>>") + objectStream("<</BaseFont/BAAAAA+Caladea>>"), "Caladea|Carlito"},
		"no stream": {"/Type/ObjStm>> stream\nxxxx /FontName/After ", "After"},
	} {
		list, err := fonts.Embedded(strings.NewReader(test.file), int64(len(test.file)))
		if got := strings.Join(list, "|"); err != nil || got != test.want {
			t.Errorf("%s: got %s, want %s (%v)", name, got, test.want, err)
		}
	}
}
