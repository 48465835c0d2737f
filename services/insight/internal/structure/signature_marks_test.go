package structure

import (
	"strings"
	"testing"
)

// TestMarksOnCopies reads what stands for a signature on copies, in every form that the mark takes
// and in each kind of block.
func TestMarksOnCopies(t *testing.T) {
	const witness = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n"
	blocks := map[string]struct {
		text string
		want []string
	}{
		"lines":   {"NORDEN PUMPS LTD\nBy: MARK Ada Kern\nName: Ada Kern\nTitle: Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"columns": {"NORDEN PUMPS LTD          SUDEN FARMS INC.\nBy: MARK Ada Kern         By: MARK Bo Lund\n", []string{"NORDEN PUMPS LTD|Ada Kern|||", "SUDEN FARMS INC.|Bo Lund|||"}},
		"running": {"NORDEN PUMPS LTD By: MARK Ada Kern Name: Ada Kern Title: Director SUDEN FARMS INC. By: MARK Bo Lund Name: Bo Lund Title: Manager\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"}},
		"deed":    {"SIGNED by ADA KERN ) MARK Ada Kern\n\nSIGNED by BO LUND ) MARK Bo Lund\n", []string{"|ADA KERN|||", "|BO LUND|||"}},
	}
	for _, m := range []string{"/s/", "/S/", "//s//", "/ s /", "/s", "s/", `\s\`, `\\s\\`, "(signed)", "(sgd.)", "[signed]"} {
		for name, b := range blocks {
			t.Run(name+" "+strings.ReplaceAll(m, "/", "|"), func(t *testing.T) {
				equal(t, "signatures", signaturesOf(read(t, witness+strings.ReplaceAll(b.text, "MARK", m))), b.want)
			})
		}
	}
	for _, text := range []string{
		"DEFINITIONS/ INTERPRETATION\n\nPromotions/ Sweepstakes of the Seller\n", "The w/s ratio of K/S Norden is stated below.\n",
		"The goods/s ervices of the Seller are those of a (signed) list.\n",
	} {
		equal(t, "signatures of "+text, signaturesOf(read(t, text)), nil)
	}
}

// TestSignaturesWithoutColons reads blocks whose labels have lost their colons, or were lost
// themselves.
func TestSignaturesWithoutColons(t *testing.T) {
	const witness = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one line":                  {"NORDEN PUMPS LTD\nBy /s/ Ada Kern Name Ada Kern Title Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"printed in another way":    {"NORDEN PUMPS LTD\nBy: /s/ Bo Lundqist Name Bo Lundquist Title Director\n", []string{"NORDEN PUMPS LTD|Bo Lundquist|||"}},
		"of another column":         {"By: /s/ Ada Kern Name Bo Lund\n", []string{"|Ada Kern|||"}},
		"next label at the end":     {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern By\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"after By":                  {"NORDEN PUMPS LTD\n\nBy Ada Kern\nDirector\n\nSUDEN FARMS INC.\n\nBy Bo Lund     ---------------------\nManager\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"}},
		"after By, with a label":    {"NORDEN PUMPS LTD\nBy Ada Kern Title Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"on the line after By":      {"NORDEN PUMPS LTD\nBy____Ada Kern_______________ Ada Kern, Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"twice on one line":         {"NORDEN PUMPS LTD\n\nAda Kern Ada Kern\n\nSUDEN FARMS INC.\n\nBo Lund Bo Lund Manager\n", []string{"NORDEN PUMPS LTD|Ada Kern|||", "SUDEN FARMS INC.|Bo Lund|Manager||"}},
		"twice on two lines":        {"Ada Kern\nADA KERN, Director\n", []string{"|ADA KERN|Director||"}},
		"twice, not the same":       {"NORDEN PUMPS LTD\nBy: /s/ Ada B. Kern Ada Kern Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"an office of two words":    {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern Operations Officer\n", []string{"NORDEN PUMPS LTD|Ada Kern|Operations Officer||"}},
		"a representative":          {"NORDEN PUMPS LTD\nBy: ____________\nAuthorized Representative: Ada Kern\n", []string{"NORDEN PUMPS LTD|Ada Kern|Authorized Representative||"}},
		"captions that ask to type": {"NORDEN PUMPS LTD\nBy: ____________\n____________\nPlease type or print name\n", nil},
		"an office twice":           {"NORDEN PUMPS LTD\n\nChief Executive Officer\nChief Executive Officer\n", nil},
		"by an office":              {"NORDEN PUMPS LTD\nBy its Managing Director\n", nil},
		"a byline":                  {strings.Repeat("The pumps are described in the annual report of the Seller.\n\n", 20) + "By Ada Kern\n\n" + strings.Repeat("The seller describes the pumps in the annual report.\n\n", 20), nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := witness + c.text
			if name == "a byline" {
				text = c.text
			}
			equal(t, "signatures", signaturesOf(read(t, text)), c.want)
		})
	}
}
