package typeset

import "github.com/go-text/typesetting/language"

// Script is a script that forms are filled in.
type Script struct {
	Name string
	// Package is the Debian package with the preferred fonts.
	Package string
	// Found reports whether an installed font has the script.
	Found bool
}

// Scripts reports for which scripts a usable font is installed.
func (f *Fonts) Scripts() []Script {
	const liberation, noto, wenQuanYi = "fonts-liberation", "fonts-noto-core", "fonts-wqy-zenhei"
	samples := []struct {
		name, packageName, text string
		script                  language.Script
	}{
		{"Latin", liberation, "AzÉß", language.Latin},
		{"Greek", liberation, "Ωά", language.Greek},
		{"Cyrillic", liberation, "Жї", language.Cyrillic},
		{"Arabic", noto, "عپ", language.Arabic},
		{"Hebrew", noto, "שְ", language.Hebrew},
		{"Devanagari", noto, "क्ष", language.Devanagari},
		{"Thai", noto, "กี่", language.Thai},
		{"Chinese", wenQuanYi, "中国國", language.Han},
		{"Japanese", wenQuanYi, "あア語", language.Hiragana},
		{"Korean", wenQuanYi, "한글", language.Hangul},
	}
	var scripts []Script
	for _, s := range samples {
		found := f.pick([]rune(s.text), choice{script: s.script}) != nil
		scripts = append(scripts, Script{Name: s.name, Package: s.packageName, Found: found})
	}
	return scripts
}
