package detect

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// lines returns a document of paragraphs outside of tables.
func lines(texts ...string) []Paragraph {
	var paragraphs []Paragraph
	for _, text := range texts {
		paragraphs = append(paragraphs, Paragraph{Text: text})
	}
	return paragraphs
}

// tableDocument returns a document with one table and one paragraph per cell.
func tableDocument(rows ...[]string) []Paragraph {
	var paragraphs []Paragraph
	for r, row := range rows {
		for c, text := range row {
			paragraphs = append(paragraphs, Paragraph{Text: text, Cell: &CellPosition{Table: 1, Row: r, Column: c}})
		}
	}
	return paragraphs
}

// shown formats blanks as the tests do: text, type and label.
func shown(paragraphs []Paragraph, blanks []Blank) []string {
	found := []string{}
	for _, b := range blanks {
		text := paragraphs[b.Paragraph].Text[b.Start:b.End]
		s := fmt.Sprintf("%s|%s|%s", text, b.Type, b.Label)
		for _, o := range b.Options {
			tick := "-"
			if o.Ticked {
				tick = "+"
			}
			s += "|" + tick + o.Option
		}
		found = append(found, s)
	}
	return found
}

func TestFind(t *testing.T) {
	tests := map[string]struct {
		in   []Paragraph
		want []string
	}{
		"captions in cells":      {tableDocument([]string{"______", "______"}, []string{"Landlord signature", "Date"}), []string{"______|signature|Landlord signature", "______|date|Date"}},
		"lines below lines":      {tableDocument([]string{"By:", "______"}, []string{"Name:", "______"}), []string{"______|signature|By", "______|name|Name"}},
		"label after a prompt":   {lines("Phone: {phone} Fax ______"), []string{"{phone}|phone|phone", "______|phone|Fax"}},
		"label and line":         {lines("Date: ______"), []string{"______|date|Date"}},
		"two in a line":          {lines("Name: ________  Title: ________"), []string{"________|name|Name", "________|text|Title"}},
		"running text":           {lines("The price is ______ per unit."), []string{"______|text|The price is"}},
		"money":                  {lines("a fee of $_____ a year"), []string{"_____|number|a fee of"}},
		"date mask":              {lines("Born: __/__/____"), []string{"__/__/____|date|Born"}},
		"ssn mask":               {lines("Number: ___-__-____"), []string{"___-__-____|ssn|Number"}},
		"phone mask":             {lines("Call (___) ___-____ now"), []string{"(___) ___-____|phone|Call"}},
		"groups with spaces":     {lines("Name ____ ____"), []string{"____ ____|name|Name"}},
		"parts of a date":        {lines("this ___ day of ________, 20__"), []string{"___|text|this", "________|text|day of", "__|text|Year"}},
		"caption in parentheses": {lines("________________ (name of the tenant)"), []string{"________________|name|name of the tenant"}},
		"caption below":          {lines("____________________", "Signature"), []string{"____________________|signature|Signature"}},
		"question above": {lines("Describe the work:", "____________________", "____________________"), []string{
			"____________________|text|Describe the work", "____________________|text|Describe the work",
		}},
		"dotted line":  {lines("Nom : ................"), []string{"................|name|Nom"}},
		"German":       {lines("Datum: ______", "Unterschrift: ______", "Straße: ______"), []string{"______|date|Datum", "______|signature|Unterschrift", "______|text|Straße"}},
		"Spanish":      {lines("Fecha: ______", "Teléfono: ______"), []string{"______|date|Fecha", "______|phone|Teléfono"}},
		"Italian":      {lines("Data di nascita: ______", "Indirizzo: ______"), []string{"______|date|Data di nascita", "______|address|Indirizzo"}},
		"ornament":     {lines("First part.", "____________________________", "Second part follows here and is a sentence."), []string{}},
		"framed words": {lines("________begin instructions________"), []string{}},
		"contents":     {lines("Definitions .............. 4", "Term .............. Page 9", "Annex .......... iv"), []string{}},
		"signed":       {lines("By: /s/ Jane Doe ____________"), []string{}},
		"partial year": {lines("Date: __/__/20__"), []string{"__/__/20__|date|Date"}},
		"spaced year":  {lines("le ____ / ____ / 20____"), []string{"____ / ____ / 20____|date|le"}},
		"labelled parts of a date": {lines("Date: ___ day of ______ 20__", "Fecha: ____ de ______ de 20__", "Datum: ____. ________ 20__", "Date: ________, 2026."), []string{
			"___|text|Date", "______|text|day of", "__|text|Year", "____|text|Fecha", "______|text|de", "__|text|Year",
			"____|text|Datum", "________|text|", "__|text|Year", "________|text|Date",
		}},
		"date and number": {lines("Date: ____ 1999/4", "Date: ____ 20 Main Street"), []string{"____|date|Date", "____|date|Date"}},
		"mail mask":       {lines("E-mail: ____@____.___"), []string{"____@____.___|email|E-mail"}},
		"unsigned":        {lines("/s/ __________"), []string{"__________|signature|/s/"}},
		"web address":     {lines("see http://x.com/a______b or www.x.com/____"), []string{}},
		"in words":        {lines("Amount in words: ______"), []string{"______|text|Amount in words"}},
		"after a tag":     {[]Paragraph{{Text: "Tag {{x}} Date: ____", Marks: []Mark{{4, 9, Taken}}}}, []string{"____|date|Date"}},
		"short underline": {lines("snake_case and __init__"), []string{}},

		"boxes in a line":        {lines("Sex: ☐ Male ☐ Female"), []string{"☐|checkbox|Sex|-Male|-Female"}},
		"boxes below":            {lines("Choose:", "☐ Red", "☒ Blue"), []string{"☐|checkbox|Choose|-Red", "☒|checkbox|Choose|+Blue"}},
		"boxes after options":    {lines("Agreed? Yes ☐ No ☐"), []string{"☐|checkbox|Agreed|-Yes|-No"}},
		"brackets":               {lines("[ ] Yes  [x] No"), []string{"[ ]|checkbox||-Yes|+No"}},
		"parentheses":            {lines("(  ) Weekly\t( x ) Monthly"), []string{"(  )|checkbox||-Weekly|+Monthly"}},
		"ticked parentheses":     {lines("(X) Yes ( ) No"), []string{"(X)|checkbox||+Yes|-No"}},
		"parentheses in lines":   {lines("Paid:", "( ) Weekly", "(X) Monthly", "(X) In cash"), []string{"( )|checkbox|Paid|-Weekly", "(X)|checkbox|Paid|+Monthly", "(X)|checkbox|Paid|+In cash"}},
		"roman ten":              {lines("(IX) Another thing", "(X) Any other thing", "(XI) One"), []string{}},
		"brackets after options": {lines("Insured? Yes [ ] No [ ]"), []string{"[ ]|checkbox|Insured|-Yes|-No"}},
		"bracket of a label":     {lines("Address:  [ ]", "Agreed:  [ ]", "Order No [ ]"), []string{"[ ]|address|Address", "[ ]|checkbox|Agreed|-Yes", "[ ]|text|Order No"}},
		"same option twice":      {lines("☐ Yes ☐ Yes"), []string{"☐|checkbox||-Yes|-Yes (2)"}},
		"not a choice":           {lines("within [ ] days and at most [ ]% of it"), []string{"[ ]|text|within", "[ ]|text|days and at most"}},
		"box and blank":          {lines("[ ] Fees rise by [ ]% a year"), []string{"[ ]|checkbox||-Fees rise by [ ]% a year", "[ ]|text|Fees rise by"}},
		"enumeration":            {lines("(x) Any other thing", "(i) One", "call f() here"), []string{}},
		"box and its blank":      {lines("☐ Other: ______"), []string{"☐|checkbox||-Other", "______|text|Other"}},
		"box in a table row":     {tableDocument([]string{"☐", "Fast delivery"}), []string{"☐|checkbox||-Fast delivery"}},

		"prompts": {lines("[Full legal name of the company] of [Address], dated [Date]."), []string{
			"[Full legal name of the company]|company|Full legal name of the company", "[Address]|address|Address", "[Date]|date|Date",
		}},
		"symbols":         {lines("a fee of [●] and [___] and [#]"), []string{"[●]|text|a fee of", "[___]|text|and", "[#]|text|and"}},
		"imperatives":     {lines("[insert date] and [Please enter the state] and [describe the goods]"), []string{"[insert date]|date|insert date", "[Please enter the state]|text|Please enter the state", "[describe the goods]|text|describe the goods"}},
		"date form":       {lines("[YYYY-MM-DD] or <b>, [dd/mm/yyyy]"), []string{"[YYYY-MM-DD]|date|YYYY-MM-DD", "[dd/mm/yyyy]|date|dd/mm/yyyy"}},
		"numbered noun":   {lines("[Address Line 1]"), []string{"[Address Line 1]|address|Address Line 1"}},
		"citation":        {lines("as shown in [Smith 2010] and by [Smith and Doe 1998]"), []string{}},
		"dollars":         {lines("{client_name} pays ${amount}"), []string{"{client_name}|name|client_name", "{amount}|number|amount"}},
		"dollar braces":   {lines("Dear ${client_name}, pay $[amount]"), []string{"${client_name}|name|client_name", "[amount]|number|amount"}},
		"small letters":   {lines("by [company name] in [city]"), []string{"[company name]|company|company name", "[city]|text|city"}},
		"suggestions":     {lines("within [30] days for [$500] from [January 1, 2027]"), []string{"[30]|text|30", "[$500]|text|$500", "[January 1, 2027]|date|January 1, 2027"}},
		"capital goes on": {lines("between [Acme Holdings] and"), []string{"[Acme Holdings]|text|Acme Holdings"}},
		"braces":          {lines("{party_1_email} and {{ effective_date }}"), []string{"{party_1_email}|email|party_1_email", "{{ effective_date }}|date|effective_date"}},
		"angles":          {lines("<Company Name> and «Last_Name»"), []string{"<Company Name>|company|Company Name", "«Last_Name»|name|Last_Name"}},
		"nested":          {lines("[to be held on [date]]"), []string{"[date]|date|date"}},
		"long prompt":     {lines("the form is [The disposition of the shares — retired, or held. This is a choice of the board, so it belongs here.]"), []string{"[The disposition of the shares — retired, or held. This is a choice of the board, so it belongs here.]|text|The disposition of the shares — retired, or held. This is a choice of the board, so it belongs here."}},
		"optional text":   {lines("the Company [and its Affiliates] [shall] pay [, without limitation,] it", "[The Tenant shall pay the rent.]"), []string{}},
		"clauses in descriptions": {lines("for [Number of days the tenant must give notice] and [Period during which it will apply]"), []string{
			"[Number of days the tenant must give notice]|number|Number of days the tenant must give notice", "[Period during which it will apply]|text|Period during which it will apply",
		}},
		"clauses":             {lines("[Customer is liable for it.] [Provider will use efforts.] [Any notice is in writing.] [Any special terms]"), []string{}},
		"described value":     {tableDocument([]string{"Special terms", "[Any special terms that the parties agreed on]"}), []string{"[Any special terms that the parties agreed on]|text|Any special terms that the parties agreed on"}},
		"notes":               {lines("[sic] [Reserved] [Signature page follows] [Intentionally omitted] [Drafting note: choose.] [Note to draft: Date]"), []string{}},
		"redactions":          {lines("for [***] and [* * *] and [redacted] and [...***...]"), []string{}},
		"references":          {lines("as said [1], [12] and [iv]; Section 10.1 [Term] and [Section 4.2] and [Exhibit A]"), []string{}},
		"markup":              {lines("<b>x</b> <!-- Note: Name --> <a@b.com> [text](http://a.com)"), []string{}},
		"commands":            {lines("{FOR d IN documents} {$d.title} {END-FOR d} {#if name} {IF name}"), []string{}},
		"quotation":           {lines("la société (« Société ») et le « Client », «Король-олень», «СвязьСтройСервис»"), []string{}},
		"tags are not blanks": {lines("{{agreementinput-a b}}"), []string{}},

		"form row":        {tableDocument([]string{"Name:", ""}, []string{"E-mail:", ""}), []string{"|name|Name", "|email|E-mail"}},
		"form of labels":  {tableDocument([]string{"Employee", "Jane"}, []string{"Favourite colour", ""}), []string{"|text|Favourite colour"}},
		"no form":         {tableDocument([]string{"This is a table", ""}, []string{"It has things", ""}, []string{"Centre", "x"}), []string{}},
		"two parties":     {tableDocument([]string{"", "A", "", "B"}, []string{"Signature", "", "", ""}), []string{"|signature|Signature", "|signature|Signature"}},
		"labels in pairs": {tableDocument([]string{"Name:", "", "Date:", ""}), []string{"|name|Name", "|date|Date"}},
		"list":            {tableDocument([]string{"Item", "Name", "Date"}, []string{"", "", ""}), []string{}},
		"sentence":        {tableDocument([]string{"This is a sentence that says something.", ""}), []string{}},

		"block":          {lines("ACME INC.", "By:", "Name:", "Title:"), []string{"|signature|By", "|name|Name", "|text|Title"}},
		"block in line":  {lines("By:\t\tDate:"), []string{"|signature|By", "|date|Date"}},
		"single label":   {lines("It depends on the date:", "and the place of it all."), []string{}},
		"name of a firm": {lines("ACME CORPORATION:", "By:", "Name:"), []string{"|signature|By", "|name|Name"}},
		"object":         {lines("Signature: \uFFFC", "Name:", "Date: \uFFFC"), []string{"|name|Name"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := shown(test.in, Find(test.in))
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
}

func TestMarks(t *testing.T) {
	underlined := Paragraph{Text: "Name: \t\t and", Marks: []Mark{{6, 8, Underlined}}}
	emphasized := Paragraph{Text: "[Any thing at all] is [Some Colour]", Marks: []Mark{{22, 35, Emphasized}}}
	taken := Paragraph{Text: "Name: ____ Date: ____", Marks: []Mark{{6, 10, Taken}}}
	contents := Paragraph{Text: "Name: ____", Contents: true}
	document := []Paragraph{underlined, emphasized, taken, contents}
	want := []string{"\t\t|name|Name", "[Some Colour]|text|Some Colour", "____|date|Date"}
	if got := shown(document, Find(document)); !reflect.DeepEqual(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestNarrowCells(t *testing.T) {
	cell := func(column, width int, text string) Paragraph {
		return Paragraph{Text: text, Cell: &CellPosition{Table: 1, Column: column, Width: width}}
	}
	document := []Paragraph{cell(0, 2600, "Signature"), cell(1, 250, ""), cell(2, 3600, "")}
	blanks := Find(document)
	if len(blanks) != 1 || blanks[0].Paragraph != 2 {
		t.Errorf("found %+v, want only the wide cell", blanks)
	}
}

func TestTypeOf(t *testing.T) {
	for label, want := range map[string]fields.Type{
		"Date": fields.Date, "Date of birth": fields.Date, "Effective Date": fields.Date, "Date Signed": fields.Date,
		"Date the company was founded": fields.Date, "E-mail": fields.Email, "Email address": fields.Email, "party_1_email": fields.Email,
		"Phone number": fields.Phone, "Fax": fields.Phone, "SSN": fields.SSN, "Social Security Number": fields.SSN,
		"Website": fields.URL, "Address": fields.Address, "Notice Address": fields.Address, "By": fields.Signature,
		"Signature": fields.Signature, "Name": fields.Name, "Full legal name of the Delaware corporation": fields.Company,
		"Full name of the authorized signatory signing for the employer": fields.Name, "Company": fields.Company,
		"Legal name of the employer": fields.Company, "Full legal name of the employee": fields.Name, "Title of the officer": fields.Text,
		"provider_signatory_title_display": fields.Text, "Certificate number": fields.Text, "Number": fields.Number,
		"Number of shares": fields.Number, "Number and class of shares": fields.Text, "Amount": fields.Number, "Gender": fields.Gender,
		"Customer Data": fields.Text, "product_name": fields.Text, "Person appointed as attorney": fields.Name, "": fields.Text,
		"Company Logo": fields.Image,
	} {
		if got := TypeOf(label); got != want {
			t.Errorf("TypeOf(%q) = %s, want %s", label, got, want)
		}
	}
}

func TestIDsSurviveEditsElsewhere(t *testing.T) {
	blanks := []string{"Name: ____ and again Name: ____", "[Date]", "☐ Yes ☐ No"}
	ids := func(p []Paragraph) (all []string) {
		for _, b := range Find(p) {
			if !fields.ValidID(b.ID) {
				t.Errorf("%q is not a valid ID", b.ID)
			}
			all = append(all, b.ID)
		}
		return all
	}
	want := ids(lines(blanks...))
	if len(want) != 4 {
		t.Fatalf("found %q, want four", want)
	}
	edited := lines("A new title.", blanks[0], "Between.", blanks[1], "Do you agree?", "  "+blanks[2])
	if got := ids(edited); !reflect.DeepEqual(got, want) {
		t.Errorf("after edits the IDs are %q, want %q", got, want)
	}
	if got := ids(lines(blanks[1], blanks[2])); !reflect.DeepEqual(got, want[2:]) {
		t.Errorf("after a deletion the IDs are %q, want %q", got, want[2:])
	}
	if got := ids(lines("Name: __________ and again Name: ___", blanks[1])); !reflect.DeepEqual(got, want[:3]) {
		t.Errorf("with longer or shorter lines the IDs are %q, want %q", got, want[:3])
	}
	for _, boxes := range [][2]string{{"Pick: ☐ A ☐ B", "Pick: ☒ A ☐ B"}, {"Pick: [ ] A [ ] B", "Pick: [ ] A [X] B"}, {"( ) Yes ( ) No", "(X) Yes ( ) No"}} {
		if empty, ticked := ids(lines(boxes[0])), ids(lines(boxes[1])); len(empty) == 0 || !reflect.DeepEqual(empty, ticked) {
			t.Errorf("%q: the IDs are %q, and %q when ticked", boxes[0], empty, ticked)
		}
	}
	if got := ids(lines("Name: ____", "Name: ____")); got[0] == got[1] || !strings.HasSuffix(got[1], "-2") {
		t.Errorf("equal blanks have the IDs %q, want consecutive numbers", got)
	}
}

func TestBounds(t *testing.T) {
	many := strings.Repeat("Name: ____\n", MaxBlanks+10)
	if n := len(Find(lines(many))); n != MaxBlanks {
		t.Errorf("found %d blanks, want %d", n, MaxBlanks)
	}
	long := Find(lines("[Name of the party (for example, " + strings.Repeat("the other ", 60) + ")]"))
	if len(long) != 1 || len([]rune(long[0].Label)) > maxLabel {
		t.Errorf("found %+v, want one blank with a shortened label", long)
	}
}

// TestAdversarial exceeds the time limit of a test run if detection takes more than
// linear time on any of these texts.
func TestAdversarial(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"underscores":   strings.Repeat("_", n),
		"groups":        strings.Repeat("__ ", n),
		"open brackets": strings.Repeat("[", n),
		"nested":        strings.Repeat("[", n) + "Name" + strings.Repeat("]", n),
		"pairs":         strings.Repeat("[a]", n),
		"prompts":       strings.Repeat("[Name]", n),
		"braces":        strings.Repeat("{{", n) + strings.Repeat("}}", n),
		"boxes":         strings.Repeat("☐", n),
		"empty boxes":   strings.Repeat("[ ] ", n),
		"dots":          strings.Repeat(".", n) + "x" + strings.Repeat("…", n),
		"spaces":        "Name:" + strings.Repeat(" ", n) + "____" + strings.Repeat(" \t", n),
		"labels":        strings.Repeat("By: ", n),
		"lines":         strings.Repeat("_____\n", n),
		"letters":       strings.Repeat("a_____", n),
	} {
		t.Run(name, func(t *testing.T) { check(t, lines(text)) })
	}
	t.Run("cells in a row", func(t *testing.T) {
		check(t, tableDocument(append(strings.Split(strings.Repeat("Name:,,", n/4), ","), "")))
	})
	t.Run("paragraphs", func(t *testing.T) {
		check(t, lines(strings.Split(strings.Repeat("______________\n\nName:\n", n/4), "\n")...))
	})
}

// check finds the blanks of a document and checks the invariants of the result.
func check(t *testing.T, paragraphs []Paragraph) {
	t.Helper()
	blanks := Find(paragraphs)
	ids := make(map[string]bool)
	paragraph, end := 0, 0
	for _, b := range blanks {
		if b.Paragraph != paragraph {
			paragraph, end = b.Paragraph, 0
		}
		text := paragraphs[b.Paragraph].Text
		if b.Start < end || b.End < b.Start || b.end() > len(text) {
			t.Fatalf("a blank is at %d to %d, but the previous one ends at %d, in a text of %d bytes", b.Start, b.end(), end, len(text))
		}
		end = b.end()
		if !fields.ValidID(b.ID) || ids[b.ID] {
			t.Fatalf("%q is not a valid ID, or not unique", b.ID)
		}
		ids[b.ID] = true
		options := make(map[string]bool)
		for _, o := range b.Options {
			if options[o.Option] || o.Option == "" {
				t.Fatalf("the option %q is empty or not unique", o.Option)
			}
			options[o.Option] = true
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"Name: ____ [Date] ☐ Yes ☒ No", "[[ x ]] {a_b} <Name> «Name»", "(  ) a\t( x ) b", "20__ [__] [ ]%", "\uFFFC ____ (x)",
		"By:\nName:\nDate:", "__/__/____ (___) ___-____", "\xff[\xfe]____\xff:", "..............12", "□ [_] ▢",
	} {
		f.Add(seed, uint8(0), uint8(9))
	}
	f.Fuzz(func(t *testing.T, text string, from, to uint8) {
		paragraphs := lines(strings.Split(text, "\n")...)
		for i := range paragraphs {
			p := &paragraphs[i]
			if int(from) < int(to) && int(to) <= len(p.Text) {
				p.Marks = []Mark{{int(from), int(to), Look(i % 3)}}
			}
			if i%2 == 1 {
				p.Cell = &CellPosition{Table: 1, Row: i / 4, Column: i % 4 / 2}
			}
		}
		check(t, paragraphs)
	})
}
