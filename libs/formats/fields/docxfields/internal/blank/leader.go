package blank

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// fillLeader replaces tabs that have a line as leader with a value in their formatting.
// The line disappears with its tabs. If text follows on the same line, the last tab stays
// without its leader, so that the text keeps its position.
func fillLeader(p *paragraph.Paragraph, b *detect.Blank, f fields.Filling, pics Pictures) error {
	for q := p; q != nil; q = q.Twin {
		made, err := shown(f, pics, b.Label)
		if err != nil {
			return err
		}
		if q.Settle(b.Start); b.Start > 0 {
			q.Space(b.Start)
		}
		if goesOn(q, b) && q.DropLeader(b.End-1) {
			made = followed(made)
		}
		q.Replace(b.Start, b.End, made)
	}
	return nil
}

// goesOn reports whether text follows the tabs on their line.
func goesOn(p *paragraph.Paragraph, b *detect.Blank) bool {
	line, _, _ := strings.Cut(p.Text[b.End:], "\n")
	return strings.TrimSpace(line) != ""
}

// followed returns the content followed by a tab.
func followed(made runs.Content) runs.Content {
	return func(run *etree.Element) []*etree.Element { return append(made(run), wml.New(run, "tab")) }
}
