package naming_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/rules/naming"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestRead shows which words are read as names, and where they end.
func TestRead(t *testing.T) {
	for text, want := range map[string][]string{
		"This is between us: Tom and Aoife. Nobody else.":                                     {"Tom", "Aoife", "Nobody"},
		"Dear Mr. Lund, I, Ada Kern, lend you 40 crowns. Dear Reader!":                        {"Lund", "Ada Kern"},
		"entered into by the University of the Western Volta, P.O. Box 31":                    {"University of the Western Volta", "P.O. Box"},
		"JOSIAH HEPPENSTALL of Oakworth":                                                      {"JOSIAH HEPPENSTALL", "Oakworth"},
		"Cedar Roasters Inc. of Guelph, and the Bank of Alder":                                {"Cedar Roasters Inc.", "Guelph", "Bank of Alder"},
		"and M/s Annapurna Looms Pvt. Ltd., a company":                                        {"Annapurna Looms Pvt. Ltd."},
		"MAUREEN TULLY & SAMIR HADDAD":                                                        {"MAUREEN TULLY", "SAMIR HADDAD"},
		"Sellers: Con and Voula Stavrou. Voula and Con stay. Alder and Birch Ltd":             {"Con and Voula Stavrou", "Alder and Birch Ltd"},
		"lent my neighbour Andrus Viirpalu 2,200 euros":                                       {"Andrus Viirpalu"},
		"Customer: Farhana binte Yusof\nDevice: a lamp":                                       {"Farhana binte Yusof", "Device"},
		"Emmanuel \"Boy\" Cruz":                                                               {"Emmanuel \"Boy\" Cruz"},
		"Ada Kern's lamp. A. Kern pays, and Kern keeps it. Ada is glad.":                      {"Ada Kern"},
		"Ada Kern and Bo Kern. Kern pays.":                                                    {"Ada Kern", "Bo Kern", "Kern"},
		"Signed:  Ada Kern     Bo Lund\tCy Moss":                                              {"Ada Kern", "Bo Lund", "Cy Moss"},
		"a text in a line that is long enough to wrap, with the name of Ada\nKern at its end": {"Ada\nKern"},
		"Ada Kern\nTenant\nAuthorised Signatory":                                              {"Ada Kern"},
		"nothing here is the name of anyone, and neither are 4 lamps":                         nil,
		strings.Repeat("Ada Kern rents from Bo Lund. ", 1000):                                 nil,
	} {
		d := rulestest.Read(text)
		var got []string
		for _, n := range naming.Read(d).All() {
			got = append(got, d.Text[n.Start:n.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.80q: got %q, want %q", text, got, want)
		}
	}
}

// model returns a model to which the words before and after a name, a label, a vote and the facts count.
func model(weights map[string]int8) *names.Model {
	w := names.Weights{Step: 1, Best: names.Calibration{Slope: 1, Offset: -4}, Others: names.Calibration{Slope: 1, Offset: -4}}
	for text, weight := range weights {
		w.Features = append(w.Features, hashed.Weight{Key: names.FeatureOf(text), Weight: weight})
	}
	return names.New(w)
}

// TestJudge shows which names are likely those of parties, and the reasons.
func TestJudge(t *testing.T) {
	m := model(map[string]int8{"use before from": 20, "use after rents": 20, "use label owner": 30, "signs": 20, "vote label": 20})
	for _, c := range []struct {
		text  string
		votes map[string]string
		want  string
	}{
		{"Tom Reed rents from Ann Ash. The bank is Birch.", nil, `Tom Reed: it precedes “rents”; Ann Ash: it follows “from”`},
		{"Owner: Ann Ash\nBrand: Birch\n", nil, `Ann Ash: it follows the label “owner”`},
		{"The lamp of Ann Ash\n", map[string]string{naming.Key("ANN ASH"): "label"}, `Ann Ash: `},
		{"We rent it.\n\nSignature: ____________\nName: Ann Ash\n\nSignature: ____________\nName: Bo Lund\nTitle: Tenant\n", nil, "Ann Ash: it is in a signature block; Bo Lund: it is in a signature block"},
		{"We rent it.\n\nBy: ____________\nName: Ann Ash\n\nSignature: ____________\nName: Bo Lund\nTitle: Director\n", nil, ""},
	} {
		d := rulestest.Read(c.text)
		var got []string
		for _, j := range naming.Read(d).Judge(m, c.votes) {
			if j.Party {
				got = append(got, fmt.Sprintf("%s: %s", d.Quote(j.Span), j.Reason))
			}
			if j.Probability < 0 || j.Probability > 1 || j.Party && j.Probability < 0.33 || !j.Party && j.Reason != "" {
				t.Errorf("%q: got %+v", c.text, j)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestUses shows what the features of a name say.
func TestUses(t *testing.T) {
	text := "HIRE OF A CART\n\nOwner:   Ann Ash\nHirer:   Tom Reed\n\nThe cart of Ann Ash (\"the Owner\") costs 40 a day. Mr. Reed pays Ms. Ash on the 1st.\n\n" + strings.Repeat("The cart is blue.\n", 30) + "\nANN ASH INC.\n"
	n := naming.Read(rulestest.Read(text))
	index := func(name string) int {
		return slices.IndexFunc(n.All(), func(x naming.Name) bool { return naming.Key(text[x.Start:x.End]) == name })
	}
	owner, hirer := n.Features(index("ann ash inc"), map[string]string{"ann ash inc": "label"}), n.Features(index("tom reed"), nil)
	for _, c := range []struct {
		what         string
		list, others []names.Feature
	}{
		{"use label owner", owner.Uses, hirer.Uses}, {"use label hirer", hirer.Uses, owner.Uses}, {"use before of", owner.Uses, hirer.Uses},
		{"use after pays", hirer.Uses, owner.Uses}, {"form", owner.Facts, hirer.Facts}, {"vote label", owner.Facts, hirer.Facts},
		{"no vote", hirer.Facts, owner.Facts}, {"short forms", hirer.Facts, nil}, {"times 4", owner.Facts, hirer.Facts},
		{"alone in a line in the end", owner.Facts, hirer.Facts}, {"at both ends", owner.Facts, nil}, {"capitals", owner.Facts, hirer.Facts},
	} {
		if f := names.FeatureOf(c.what); !slices.Contains(c.list, f) || slices.Contains(c.others, f) {
			t.Errorf("%s is missing, or a feature of the other name", c.what)
		}
	}
}

// FuzzRead shows that reading any text is bounded and deterministic, and that every place is within it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"Tom rents from Ann Ash.", "\xff\xfe Alder Inc. \xc3 and ", "A & B & C & D ltd", "Owner: \"\"\"\n\tM/s", strings.Repeat("Alder and Birch, ", 600), strings.Repeat("İ Ȿ", 900)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := rulestest.Read(text)
		n := naming.Read(d)
		if len(n.All()) > 150 {
			t.Fatalf("got %d names", len(n.All()))
		}
		for i, x := range n.All() {
			if x.Start < 0 || x.Len() < 2 || x.End > len(d.Text) || utf8.ValidString(d.Text) && !utf8.ValidString(d.Text[x.Start:x.End]) {
				t.Fatalf("a name is at %v of %d bytes", x.Span, len(d.Text))
			}
			if got := n.Features(i, nil); len(got.Facts) > 60 || len(got.Uses) > 400 || !reflect.DeepEqual(got, naming.Read(d).Features(i, nil)) {
				t.Fatalf("got %d facts and %d uses, or others when reading again", len(got.Facts), len(got.Uses))
			}
		}
	})
}
