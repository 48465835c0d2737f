package typeset

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	for text, want := range map[string]string{
		"abc 12":           "000000",
		"אב 12":            "11122",
		"abc אב 12 def":    "0000111220000",
		"abc אב 5% def":    "0000111220000",
		"abc אב (1)":       "0000111121",
		"a(אב) 1-2":        "001100222",
		"a(אב) 1,2%":       "0011002222",
		"אב abc":           "111222",
		"abc ١٢ אב":        "000022111",
		"":                 "",
		"x \u2067אב\u2069": "000110",
	} {
		p := newParagraph(text)
		var got strings.Builder
		for _, l := range p.levels {
			got.WriteString(strconv.Itoa(int(l)))
		}
		if got.String() != want {
			t.Errorf("%q: got %s, want %s", text, got.String(), want)
		}
	}
}

func TestRightToLeft(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "12": false, "12 אב abc": true, "abc אב": false, "ع": true,
		"\u2067אב\u2069 abc": false, "\u2066abc\u2069 אב": true, "\u2069אב": true,
	} {
		if got := rightToLeft([]rune(text)); got != want {
			t.Errorf("%+q: got %t", text, got)
		}
	}
}

// TestConformance compares the order of characters with the test file of UAX #9, which comes
// with the library. Texts with explicit formatting are left out, because runs of equal
// direction and different depth are indistinguishable.
func TestConformance(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-text/typesetting").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(strings.TrimSpace(string(dir)), "bidi/test/BidiCharacterTest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tested := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Split(lines.Text(), ";")
		if len(fields) != 5 || fields[1] == "2" || explicit(characters(t, fields[0])) {
			continue
		}
		tested++
		text, removed := characters(t, fields[0]), strings.Fields(fields[3])
		all := levels(text, fields[1] == "1")
		var order []int
		for i := range text {
			if removed[i] != "x" {
				order = append(order, i)
			}
		}
		reorder(order, func(i int) uint8 { return all[i] })
		if got := sprint(order); got != fields[4] {
			t.Errorf("%s in direction %s: got %s, want %s", fields[0], fields[1], got, fields[4])
		}
	}
	if tested < 50_000 {
		t.Errorf("tested only %d texts", tested)
	}
}

func sprint(order []int) string {
	var parts []string
	for _, i := range order {
		parts = append(parts, strconv.Itoa(i))
	}
	return strings.Join(parts, " ")
}

func characters(t *testing.T, hex string) []rune {
	var text []rune
	for field := range strings.FieldsSeq(hex) {
		v, err := strconv.ParseInt(field, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, rune(v))
	}
	return text
}

// explicit reports whether a text has embeddings, isolates or paragraph separators.
func explicit(text []rune) bool {
	return slices.ContainsFunc(text, func(r rune) bool {
		return r == '\n' || r == 0x2029 || 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
	})
}
