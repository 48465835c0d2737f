package docxfields

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// placeholderPicture returns the content of an unfilled picture control.
func placeholderPicture(cx, cy int) string {
	return fmt.Sprintf(`<w:r><w:rPr><w:noProof/></w:rPr><w:drawing><wp:inline><wp:extent cx="%d" cy="%d"/><wp:docPr id="7" name="x"/><a:graphic><a:graphicData uri="%s"><pic:pic><pic:blipFill><a:blip r:embed="rIdA"/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`, cx, cy, drawingML+"picture")
}

// shape returns the content of an unfilled picture control in older versions of Word.
func shape(style string) string {
	return `<w:r><w:pict><v:shapetype style="width:9pt;height:9pt"/><v:shape style="` + style + `"><v:imagedata r:id="rIdA"/></v:shape></w:pict></w:r>`
}

var (
	extents = regexp.MustCompile(`<wp:extent cx="(\d+)" cy="(\d+)"/>`)
	frames  = regexp.MustCompile(`<a:xfrm[^>]*><a:off x="0" y="0"/><a:ext cx="\d+" cy="\d+"/></a:xfrm>`)
	embeds  = regexp.MustCompile(`r:embed="([^"]+)"`)
	docPrs  = regexp.MustCompile(`<wp:docPr id="(\d+)" name="[^"]*" descr="([^"]*)"/>`)
)

// firsts returns the first group of each match.
func firsts(expression *regexp.Regexp, s string) []string {
	var found []string
	for _, m := range expression.FindAllStringSubmatch(s, -1) {
		found = append(found, strings.Join(m[1:], " "))
	}
	return found
}

func TestPictureSize(t *testing.T) {
	const id = "agreementinput-p"
	narrow := func(s string) string {
		return `<w:tbl><w:tr><w:tc><w:tcPr><w:tcW w:w="1656" w:type="dxa"/></w:tcPr>` + p(s) + `</w:tc></w:tr></w:tbl>`
	}
	for _, c := range []struct {
		name, content              string
		width, height, orientation int
		kind                       fields.Type
		want, frame                string
	}{
		{"wide in a square", p(sdt(id, `<w:picture/>`, placeholderPicture(1000000, 1000000))), 400, 100, 1, fields.Image, "1000000 250000", `<a:xfrm><a:off x="0" y="0"/><a:ext cx="1000000" cy="250000"/></a:xfrm>`},
		{"high in a square", p(sdt(id, `<w:picture/>`, placeholderPicture(1000000, 1000000))), 10, 40, 1, fields.Image, "250000 1000000", ""},
		{"rotated right", p(sdt(id, `<w:picture/>`, placeholderPicture(1000000, 1000000))), 400, 100, 6, fields.Image, "1000000 250000", `<a:xfrm rot="5400000"><a:off x="0" y="0"/><a:ext cx="1000000" cy="250000"/></a:xfrm>`},
		{"rotated right, in a wide box", p(sdt(id, `<w:picture/>`, placeholderPicture(1000000, 100000))), 400, 100, 6, fields.Image, "100000 25000", ""},
		{"mirrored", p(sdt(id, `<w:picture/>`, placeholderPicture(400, 400))), 10, 10, 2, fields.Image, "400 400", `<a:xfrm flipH="1"><a:off x="0" y="0"/><a:ext cx="400" cy="400"/></a:xfrm>`},
		{"small signature in text", p(sdt(id, "", r("x"))), 96, 48, 1, fields.Signature, "914400 457200", ""},
		{"large signature in text", p(sdt(id, "", r("x"))), 2000, 500, 1, fields.Signature, "1828800 457200", ""},
		{"picture control without a picture", p(sdt(id, `<w:picture/>`, "")), 10, 10, 1, fields.Image, "95250 95250", ""},
		{"in a VML shape", p(sdt(id, `<w:picture/>`, shape("position:absolute; width:72pt;HEIGHT:1in"))), 400, 100, 1, fields.Image, "914400 228600", ""},
		{"in a VML shape without a size", p(sdt(id, `<w:picture/>`, shape("width:50%;height:1e9pt"))), 10, 10, 1, fields.Image, "95250 95250", ""},
		{"image in text", p(sdt(id, "", r("x"))), 960, 96, 1, fields.Image, "5486400 548640", ""},
		{"image in a narrow cell", narrow(sdt(id, "", r("x"))), 960, 960, 1, fields.Image, "914400 914400", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			filling := fields.Filling{Type: c.kind, Pictures: []fields.Picture{picture(t, "image/png", c.width, c.height, c.orientation, 1)}}
			got := mainPart(t, fill(t, document(t, body(c.content)), map[string]fields.Filling{id: filling}))
			if strings.Contains(got, "w:pict>") {
				t.Errorf("the shape is left in %s", got)
			}
			if found := firsts(extents, got); !slices.Equal(found, []string{c.want}) {
				t.Errorf("extents %q, want %q", found, c.want)
			}
			if found := frames.FindString(got); c.frame != "" && found != c.frame {
				t.Errorf("frame %s, want %s", found, c.frame)
			}
		})
	}
}

// TestPictureParts checks the parts and relationships that a package needs for its
// pictures.
func TestPictureParts(t *testing.T) {
	png, jpeg := picture(t, "image/png", 30, 20, 1, 1), picture(t, "image/jpeg", 30, 20, 1, 2)
	content := body(p(sdt("agreementinput-a", alias("The &lt;logo&gt;")+placeholder+`<w:picture/>`, placeholderPicture(100, 100))) + p(sdt("agreementinput-b", `<w:text/>`, r("old"))) +
		p(`<w:r><w:drawing><wp:inline><wp:docPr id="41" name="y"/></wp:inline></w:drawing></w:r>`))
	header := prolog + `<w:hdr ` + spaces + `>` + p(sdt("agreementinput-b", "", r("old"))) + `</w:hdr>`
	file := document(t, content, entry{"word/header1.xml", header}, entry{"word/media/image1.png", "taken"})
	filled := fill(t, file, map[string]fields.Filling{
		"agreementinput-a": {Type: fields.Image, Pictures: []fields.Picture{png, jpeg, png}},
		"agreementinput-b": {Type: fields.Signature, Pictures: []fields.Picture{png}},
	})
	before, after := parts(t, file), parts(t, filled)
	for name := range before {
		if changes := slices.Contains([]string{"[Content_Types].xml", "word/document.xml", "word/header1.xml", "word/_rels/document.xml.rels"}, name); (before[name] != after[name]) != changes {
			t.Errorf("%s: changed %v, want %v", name, !changes, changes)
		}
		delete(after, name)
	}
	if got := slices.Sorted(maps.Keys(after)); !slices.Equal(got, []string{"word/_rels/header1.xml.rels", "word/media/image1.jpeg", "word/media/image2.png"}) {
		t.Errorf("added %q", got)
	}
	after = parts(t, filled)
	for _, want := range []string{`<Default Extension="png" ContentType="image/png"/>`, `<Default Extension="jpeg" ContentType="image/jpeg"/>`} {
		if strings.Count(after["[Content_Types].xml"], want) != 1 {
			t.Errorf("types %s", after["[Content_Types].xml"])
		}
	}
	text := after["word/document.xml"]
	if got, want := firsts(embeds, text), []string{"rId1", "rId2", "rId1", "rId1"}; !slices.Equal(got, want) {
		t.Errorf("pictures %q, want %q", got, want)
	}
	if got, want := firsts(docPrs, text), []string{"42 The &lt;logo>", "43 The &lt;logo>", "44 The &lt;logo>", "45 "}; !slices.Equal(got, want) {
		t.Errorf("drawings %q, want %q", got, want)
	}
	if got := firsts(docPrs, after["word/header1.xml"]); !slices.Equal(got, []string{"46 "}) {
		t.Errorf("drawings %q", got)
	}
	if !strings.Contains(after["word/_rels/header1.xml.rels"], `Id="rId1" Type="`+office+`image" Target="media/image2.png"`) {
		t.Errorf("relationships %s", after["word/_rels/header1.xml.rels"])
	}
	if strings.Contains(text, "showingPlcHdr") || strings.Contains(text, "<w:text/>") || !strings.Contains(text, "<w:picture/>") {
		t.Errorf("controls %s", text)
	}
}

// TestPictureFloats fills a floating picture, which must keep its position.
func TestPictureFloats(t *testing.T) {
	anchor := `<w:r><w:drawing><wp:anchor behindDoc="1"><wp:simplePos x="0" y="0"/><wp:positionH/><wp:extent cx="900" cy="900"/><wp:effectExtent l="1" t="1" r="1" b="1"/><wp:wrapNone/><wp:docPr id="1" name="x"/><wp:cNvGraphicFramePr/><a:graphic/></wp:anchor></w:drawing></w:r>`
	filling := fields.Filling{Type: fields.Image, Pictures: []fields.Picture{picture(t, "image/png", 10, 20, 1, 1)}}
	got := mainPart(t, fill(t, document(t, body(p(sdt("agreementinput-p", `<w:picture/>`, anchor)))), map[string]fields.Filling{"agreementinput-p": filling}))
	var order []string
	for _, m := range regexp.MustCompile(`<(wp:\w+)`).FindAllStringSubmatch(got, -1) {
		order = append(order, m[1])
	}
	if want := []string{"wp:anchor", "wp:simplePos", "wp:positionH", "wp:extent", "wp:effectExtent", "wp:wrapNone", "wp:docPr", "wp:cNvGraphicFramePr"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q in %s", order, want, got)
	}
	if firsts(extents, got)[0] != "450 900" || !strings.Contains(got, `behindDoc="1"`) {
		t.Errorf("got %s", got)
	}
}

// TestSignatureOfText fills a picture control with text.
func TestSignatureOfText(t *testing.T) {
	file := fill(t, document(t, body(p(sdt("agreementinput-p", `<w:picture/>`, placeholderPicture(9, 9))))), map[string]fields.Filling{"agreementinput-p": {Type: fields.Signature, Text: "Jane Doe"}})
	if got := mainPart(t, file); strings.Contains(got, "w:picture") || strings.Contains(got, "w:drawing") || !strings.Contains(got, ">Jane Doe<") {
		t.Errorf("got %s", got)
	}
}

// TestPictureInCell inserts a picture into cells that are narrower than the picture.
func TestPictureInCell(t *testing.T) {
	const id = "agreementinput-p"
	inTable := func(table, cell string) string {
		return `<w:tbl><w:tblPr>` + table + `</w:tblPr><w:tblGrid><w:gridCol w:w="500"/><w:gridCol w:w="600"/><w:gridCol w:w="700"/></w:tblGrid><w:tr><w:tc>` + p(r("x")) +
			`</w:tc><w:tc><w:tcPr>` + cell + `</w:tcPr>` + p("|") + `</w:tc></w:tr></w:tbl>`
	}
	const wide = `<w:tcW w:w="1000" w:type="dxa"/>`
	for _, c := range []struct{ name, table, cell, want string }{
		{"default margins", "", wide, "497840 497840"},
		{"margins of the table", `<w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="50" w:type="dxa"/></w:tblCellMar>`, wide, "603250 603250"},
		{"margins of the cell", `<w:tblCellMar><w:left w:w="0" w:type="dxa"/></w:tblCellMar>`, wide + `<w:tcMar><w:start w:w="100" w:type="dxa"/><w:end w:w="100" w:type="dxa"/></w:tcMar>`, "508000 508000"},
		{"narrower than its margins", "", `<w:tcW w:w="200" w:type="dxa"/>`, "127000 127000"},
		{"columns", `<w:tblLayout w:type="fixed"/>`, `<w:gridSpan w:val="2"/>`, "688340 688340"},
		{"columns fitted to content", "", "", "914400 914400"},
		{"a percentage of the table", "", `<w:tcW w:w="1000" w:type="pct"/>`, "914400 914400"},
	} {
		for place, content := range map[string]string{"control": sdt(id, "", r("x")), "text tag": r("{{" + id + ";type=signature}}")} {
			t.Run(c.name+", "+place, func(t *testing.T) {
				filling := fields.Filling{Type: fields.Signature, Pictures: []fields.Picture{picture(t, "image/png", 960, 960, 1, 1)}}
				file := document(t, body(strings.Replace(inTable(c.table, c.cell), "|", content, 1)))
				got := mainPart(t, fill(t, file, map[string]fields.Filling{id: filling}))
				if found := firsts(extents, got); !slices.Equal(found, []string{c.want}) {
					t.Errorf("extents %q, want %q", found, c.want)
				}
			})
		}
	}
}
