package typeset_test

import (
	"bytes"
	"compress/zlib"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// values are texts of 20 characters.
var values = []struct{ name, text string }{
	{"latin", "Jürgen Żółć, Ångströ"},
	{"greek", "Ελληνικά Οδυσσεύς αβ"},
	{"cyrillic", "Съешь ещё этих мягки"},
	{"arabic", "السلام عليكم ورحمة ا"},
	{"hebrew", "שלום עולם וכל הטוב ל"},
	{"devanagari", "क्षत्रिय हिन्दी में"},
	{"thai", "ภาษาไทยกำลังเขียนดีม"},
	{"chinese", "中华人民共和国简体字汉语普通话北京市海"},
	{"japanese", "日本語のテキストガギグ東京都千代田区一番"},
	{"korean", "대한민국서울특별시강남구테헤란로일이삼사"},
}

// BenchmarkFirst sets a value with fonts that have not been read, as each process does once.
func BenchmarkFirst(b *testing.B) {
	for _, v := range values {
		b.Run(v.name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				l := set(b, v.text, typeset.Options{Size: 12})
				var p page
				p.show(l, 0, 0)
				fonts, err := p.writer.Fonts()
				if err != nil {
					b.Fatal(err)
				}
				size = 0
				for _, e := range fonts {
					size += deflated(e.Program) + deflated(e.ToUnicode)
				}
			}
			b.ReportMetric(float64(size), "file-bytes")
		})
	}
}

// BenchmarkLater sets a value with fonts that have been read.
func BenchmarkLater(b *testing.B) {
	fonts := typeset.NewFonts(fontDir)
	for _, v := range values {
		b.Run(v.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := fonts.Set(v.text, typeset.Options{Size: 12}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func deflated(data []byte) int {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(data)
	w.Close()
	return out.Len()
}
