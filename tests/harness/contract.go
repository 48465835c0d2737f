package harness

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// ContractFields are the ids of the fields of Contract in reading order: content
// controls and one text tag.
var ContractFields = []string{
	"agreementinput-company", "agreementinput-client-name", "agreementinput-start-date", "agreementinput-services",
	"agreementinput-fee", "agreementinput-payment-term", "agreementinput-invoice-email", "agreementinput-signature",
}

// Contract returns a services agreement on one page, like a template that an author
// prepares in Word. It has content controls for a company, a name, a date, two check
// boxes, a number, a drop-down list and a signature, and one text tag. Its bytes are
// always the same.
func Contract() []byte {
	var b body
	b.title("Services Agreement")
	b.paragraph("", text("This Services Agreement is made between Hafenlicht Consulting GmbH, Speicherstraße 4, 20457 Hamburg (the “Provider”), and "),
		control("agreementinput-company", "company", "Company", "", "the company"), text(", represented by "),
		control("agreementinput-client-name", "name", "Name of the client", "", "the name"), text(" (the “Client”). It begins on "),
		control("agreementinput-start-date", "", "Start date", startDate, "the day"), text("."))
	b.heading("1. Services")
	b.paragraph("", text("The Client orders the services that are ticked here:"))
	for _, service := range []string{"Advice", "Training"} {
		b.paragraph(`<w:ind w:left="360"/>`, checkBox("agreementinput-services", service), text(" "+service))
	}
	b.heading("2. Fees")
	b.paragraph("", text("The Client pays EUR "), control("agreementinput-fee", "number", "Fee for an hour", "", "0.00"), text(" for each hour. Invoices are due "),
		control("agreementinput-payment-term", "", "Payment term", paymentTerms, "at a time"), text(" and are sent to {{agreementinput-invoice-email;type=email;label=E-mail address for invoices}}."))
	b.heading("3. Term")
	b.paragraph("", text("This Agreement runs for twelve months and renews for one year at a time, unless a party gives notice of 60 days."))
	b.heading("4. Confidentiality")
	b.paragraph("", text("Each party keeps the confidential information of the other secret for five years after the end of this Agreement."))
	b.heading("5. Governing law")
	b.paragraph("", text("This Agreement is governed by the laws of Germany."))
	b.signatures(pictureControl("agreementinput-signature", "Signature of the client"))
	return b.docx()
}

// The w:sdtPr elements of the controls that need more than a tag.
const (
	startDate    = `<w:date><w:dateFormat w:val="MMMM d, yyyy"/><w:lid w:val="en-US"/><w:storeMappedDataAs w:val="dateTime"/><w:calendar w:val="gregorian"/></w:date>`
	paymentTerms = `<w:dropDownList><w:listItem w:displayText="on receipt" w:value="0"/><w:listItem w:displayText="within 14 days" w:value="14"/><w:listItem w:displayText="within 30 days" w:value="30"/></w:dropDownList>`
)

// body builds the body of a Word document.
type body struct{ strings.Builder }

func (b *body) title(s string)   { b.styled("Title", text(s)) }
func (b *body) heading(s string) { b.styled("Heading1", text(s)) }

func (b *body) styled(style string, runs ...string) {
	b.paragraph(fmt.Sprintf(`<w:pStyle w:val="%s"/>`, style), runs...)
}

// paragraph writes a paragraph with the properties and runs.
func (b *body) paragraph(properties string, runs ...string) {
	fmt.Fprintf(b, `<w:p><w:pPr>%s</w:pPr>%s</w:p>`, properties, strings.Join(runs, ""))
}

// signatures writes a table without borders for the signatures of both parties.
func (b *body) signatures(client string) {
	cell := func(content, caption string) {
		fmt.Fprintf(b, `<w:tc><w:tcPr><w:tcW w:w="4680" w:type="dxa"/><w:vAlign w:val="bottom"/></w:tcPr><w:p><w:pPr><w:keepNext/><w:spacing w:before="480" w:after="60"/></w:pPr>%s</w:p>`, content)
		b.paragraph("", text(caption))
		b.WriteString(`</w:tc>`)
	}
	b.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="9360" w:type="dxa"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid><w:gridCol w:w="4680"/><w:gridCol w:w="4680"/></w:tblGrid><w:tr>`)
	cell(text("Jonas Petersen"), "For the Provider")
	cell(client, "For the Client")
	b.WriteString(`</w:tr></w:tbl><w:p/>`)
}

// text returns a run.
func text(s string) string {
	return fmt.Sprintf(`<w:r><w:t xml:space="preserve">%s</w:t></w:r>`, escaped(s))
}

// control returns a content control that shows a placeholder. Its tag is the id or, if
// fieldType is set, JSON with the id and the type; Word limits a tag to 64 characters.
// Kind is its type element in w:sdtPr, "" for plain text.
func control(id, fieldType, label, kind, placeholder string) string {
	tag := id
	if fieldType != "" {
		tag = fmt.Sprintf(`{"fieldId":"%s","fieldType":"%s"}`, id, fieldType)
	}
	if kind == "" {
		kind = `<w:text/>`
	}
	return fmt.Sprintf(`<w:sdt><w:sdtPr>%s<w:showingPlcHdr/>%s</w:sdtPr><w:sdtContent><w:r><w:rPr><w:rStyle w:val="PlaceholderText"/></w:rPr><w:t>[%s]</w:t></w:r></w:sdtContent></w:sdt>`,
		names(label, tag), kind, escaped(placeholder))
}

// checkBox returns a check box for one option of a field.
func checkBox(id, option string) string {
	return fmt.Sprintf(`<w:sdt><w:sdtPr>%s<w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:rPr><w:rFonts w:ascii="MS Gothic" w:eastAsia="MS Gothic" w:hAnsi="MS Gothic" w:hint="eastAsia"/></w:rPr><w:t>☐</w:t></w:r></w:sdtContent></w:sdt>`,
		names(option, id))
}

// pictureControl returns a picture control of 2 by 0.75 inches for a signature. It
// shows an empty signature line.
func pictureControl(id, label string) string {
	const width, height = 1828800, 685800 // in EMU, 914400 to the inch
	return fmt.Sprintf(`<w:sdt><w:sdtPr>%s<w:showingPlcHdr/><w:picture/></w:sdtPr><w:sdtContent><w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%[2]d" cy="%[3]d"/><wp:docPr id="1" name="Signature" descr="%[4]s"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="Signature"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId2"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[2]d" cy="%[3]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:sdtContent></w:sdt>`,
		names(label, fmt.Sprintf(`{"fieldId":"%s","fieldType":"signature"}`, id)), width, height, escaped(label))
}

// names returns the two names of a control: its label for people, its tag for programs.
func names(label, tag string) string {
	return fmt.Sprintf(`<w:alias w:val="%s"/><w:tag w:val="%s"/>`, escaped(label), escaped(tag))
}

func escaped(s string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(s)) // writing to a buffer cannot fail
	return out.String()
}

// docx returns the document with this body.
func (b *body) docx() []byte {
	document := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" mc:Ignorable="w14"><w:body>` +
		b.String() + `<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:body></w:document>`
	types := strings.Replace(contentTypesXML, `<Default Extension="xml"`, `<Default Extension="png" ContentType="image/png"/><Default Extension="xml"`, 1)
	relations := strings.Replace(documentRelsXML, `</Relationships>`, `<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/line.png"/></Relationships>`, 1)
	styles := strings.Replace(stylesXML, `</w:styles>`, `<w:style w:type="character" w:styleId="PlaceholderText"><w:name w:val="Placeholder Text"/><w:rPr><w:color w:val="808080"/></w:rPr></w:style></w:styles>`, 1)
	return Zip(
		[2]string{"[Content_Types].xml", types}, [2]string{"_rels/.rels", packageRelsXML},
		[2]string{"word/document.xml", document}, [2]string{"word/_rels/document.xml.rels", relations}, [2]string{"word/styles.xml", styles},
		[2]string{"word/media/line.png", string(signatureLine())},
	)
}

// signatureLine returns a PNG of a signature line.
func signatureLine() []byte {
	picture := image.NewPaletted(image.Rect(0, 0, 384, 144), color.Palette{color.White, color.Gray{Y: 128}})
	for x := range 384 {
		picture.SetColorIndex(x, 140, 1)
		picture.SetColorIndex(x, 141, 1)
	}
	return encodePNG(picture)
}

// Signature returns a PNG of a signature: a curve in blue ink on a transparent
// background.
func Signature() []byte {
	const width, height, pen = 480, 160, 2.2
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	ink := color.NRGBA{R: 24, G: 44, B: 130, A: 255}
	for i := range 6000 {
		// A wave whose loops lean forward and shrink, then an underline.
		t := float64(i) / 5000
		x, y := 40+370*t+26*math.Sin(38*t), 74-46*math.Exp(-1.2*t)*math.Cos(38*t)*(0.6+0.4*math.Cos(7*t))
		if t > 1 {
			u := (t - 1) * 5
			x, y = 420-330*u, 122-14*u*u
		}
		dot(picture, x, y, pen, ink)
	}
	return encodePNG(picture)
}

// dot draws a filled circle on a picture.
func dot(picture *image.NRGBA, x, y, radius float64, ink color.NRGBA) {
	for py := int(y - radius); py <= int(y+radius)+1; py++ {
		for px := int(x - radius); px <= int(x+radius)+1; px++ {
			if math.Hypot(float64(px)-x, float64(py)-y) <= radius {
				picture.SetNRGBA(px, py, ink)
			}
		}
	}
}

func encodePNG(picture image.Image) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return out.Bytes()
}

// LongContract returns a contract of about the given number of pages. A page has ten
// paragraphs of four runs, each run with its own formatting, as Word writes them. The
// fields are plain text, evenly spread, and named agreementinput-1 and so on.
func LongContract(pages, fields int) []byte {
	const (
		perPage = 10
		format  = `<w:rPr><w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:cs="Times New Roman"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr>`
		run     = `<w:r w:rsidRPr="00A12345">` + format + `<w:t xml:space="preserve">The parties agree that each of them keeps confidential what the other one discloses to it, </w:t></w:r>`
	)
	var b body
	count := 0
	for i := range pages * perPage {
		runs := strings.Repeat(run, 4)
		for count*pages*perPage < i*fields {
			count++
			runs += control(fmt.Sprintf("agreementinput-%d", count), "", fmt.Sprintf("Field %d", count), "", "Fill in")
		}
		b.paragraph(`<w:spacing w:after="120"/><w:jc w:val="both"/>`, runs)
	}
	for count < fields {
		count++
		b.paragraph("", control(fmt.Sprintf("agreementinput-%d", count), "", fmt.Sprintf("Field %d", count), "", "Fill in"))
	}
	return b.docx()
}
