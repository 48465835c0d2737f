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

// fillLeader writes a value in place of tabs that a line leads across, in their
// formatting. The line goes with its tabs. Where the text of the line goes on
// behind them the last one stays, without its line, so that what follows keeps its
// place.
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

// goesOn reports whether text follows the tabs in their line.
func goesOn(p *paragraph.Paragraph, b *detect.Blank) bool {
	line, _, _ := strings.Cut(p.Text[b.End:], "\n")
	return strings.TrimSpace(line) != ""
}

// followed returns the content with a tab behind it.
func followed(made runs.Content) runs.Content {
	return func(run *etree.Element) []*etree.Element { return append(made(run), wml.New(run, "tab")) }
}
