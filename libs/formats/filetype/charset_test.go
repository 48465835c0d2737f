package filetype_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// encoded returns text in the encoding of a charset.
func encoded(t *testing.T, charset, text string) string {
	t.Helper()
	e := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	if charset != "utf-32" {
		var err error
		if e, err = htmlindex.Get(charset); err != nil {
			t.Fatal(err)
		}
	}
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%q in %s: %v", text, charset, err)
	}
	return out
}

// foreign holds texts by the charset in which programs write them.
var foreign = map[string][]string{
	"shift_jis":    {"本契約は、株式会社甲と乙との間で締結される。\n第一条 目的\n", "名前,金額\n山田,100\n", "ひらがな\n", "カタカナ テスト\n"},
	"euc-jp":       {"本契約は、株式会社甲と乙との間で締結される。\n"},
	"gbk":          {"本协议由甲方与乙方订立。\n第一条 目的\n", "姓名,金额\n王小明,100\n", "Agreement between 甲方公司 and 乙方公司\n"},
	"big5":         {"本合約由甲方與乙方訂立。\n"},
	"euc-kr":       {"이 계약은 당사자 간에 체결됩니다.\n", "이름,금액\n김철수,100\n"},
	"windows-1251": {"Договор поставки между сторонами.\n", "Agreement with Газпром and others\n", "Имя;Сумма\nИванов;100\n"},
	"koi8-r":       {"Договор поставки между сторонами.\n"},
	"windows-1253": {"Σύμβαση μεταξύ των μερών\n"},
	"windows-1255": {"הסכם בין הצדדים\n"}, "windows-1256": {"اتفاقية بين الطرفين\n"}, "windows-874": {"สัญญาระหว่างคู่สัญญา\n"},
	"iso-8859-2": {"Umowa najmu na kwotę tysiąca złotych\n"},
	"macintosh":  {"Verträge für Größe, déjà vu\n"},
	"utf-16le":   {"An agreement\nwith Zoë\n"}, "utf-16be": {"An agreement\nwith Zoë\n"}, "utf-32": {"An agreement\nwith Zoë\n"},
}

// TestForeignText shows that text in an encoding that nothing tells is refused, and read if its
// charset is declared.
func TestForeignText(t *testing.T) {
	for charset, texts := range foreign {
		for _, text := range texts {
			in := encoded(t, charset, text)
			for _, wrong := range []string{"", "utf-8", "unknown-8bit"} {
				var refused *filetype.Error
				if err := filetype.CheckText(strings.NewReader(in), wrong); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "UTF-8") {
					t.Errorf("%s declared as %q: %q: %v", charset, wrong, text, err)
				}
			}
			if charset == "utf-32" {
				continue
			}
			r, err := filetype.TextReader(strings.NewReader(in), charset)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != text {
				t.Errorf("%s: got %q, %v; want %q", charset, got, err, text)
			}
			if err := filetype.CheckText(strings.NewReader(in), charset); err != nil {
				t.Errorf("%s: %v", charset, err)
			}
		}
	}
	for _, charset := range []string{"shift_jis", "gbk", "euc-kr"} {
		var refused *filetype.Error
		if err := filetype.CheckText(strings.NewReader("Caf\xe9 \xff\n"), charset); !errors.As(err, &refused) || !strings.Contains(refused.Reason, charset) {
			t.Errorf("another encoding than %s: %v", charset, err)
		}
	}
}

// TestWesternText shows that text of Western Europe in Windows-1252 is read, whatever charset
// programs declare by default.
func TestWesternText(t *testing.T) {
	for _, text := range []string{
		"Vertrag über Müller & Söhne, naïve café, Größe ß ½ £\n", "Fee “€ 100” – Müller’s\n", "STRAßE: Königstraße 5, 10 m² à 12 °C, 5 µF ± 2 %\n",
		"¿Qué? ¡Sí! El año pasado, Nº 5, Mª José\n", "São Paulo, disposições e ações; não há exceções\n", "L’été à l’Île-d’Œuvre : « Créée »… n°5\n",
		"Hääyöaie, täällä, jäätelöä\n", "Þjóðin á Íslandi, það er öðruvísi\n", "Årsmøte på Ærø\n", "———\n•••\n§§ 5–7\n© 2024 Société Générale® x™\n",
		"Total\u00a0\u00a0\u00a0100 £\n", "ÜBERSCHRIFT\nÄRGER\n", "Paris–Orléans—“Été”\n", "plain ASCII\n", "Größe\n", "“quoted”\n",
	} {
		in := encoded(t, "windows-1252", text)
		for _, charset := range []string{"", "utf-8", "iso-8859-1", "us-ascii"} {
			if err := filetype.CheckText(strings.NewReader(in), filetype.Charset("text/plain; charset="+charset)); err != nil {
				t.Errorf("%q declared as %q: %v", text, charset, err)
			}
			if err := filetype.CheckText(strings.NewReader(text), charset); err != nil {
				t.Errorf("%q in UTF-8 declared as %q: %v", text, charset, err)
			}
		}
	}
	if err := filetype.CheckText(strings.NewReader("\xff\xfeG\x00\xf6\x00"), "shift_jis"); err != nil {
		t.Errorf("a byte order mark counts for less than the charset: %v", err)
	}
}

func TestCharset(t *testing.T) {
	for mediaType, want := range map[string]string{
		"text/plain; charset=Shift_JIS": "shift_jis", `text/csv; charset="cp1251"; header=present`: "windows-1251", "text/plain": "", "text/plain; charset=klingon": "", ";": "", "": "",
	} {
		if got := filetype.Charset(mediaType); got != want {
			t.Errorf("%q declares %q, want %q", mediaType, got, want)
		}
	}
}
