package structure

import (
	"math/rand/v2"
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

// TestSignaturesOnOneLine reads lines that are whole signatures.
func TestSignaturesOnOneLine(t *testing.T) {
	for text, want := range map[string][]string{
		"Signed by the Client: Ada Kern      Date: 14/02/24\nSigned by the Supplier: Bo Lund      Date: 16/02/24\n":         {"Client|Ada Kern|||14/02/24", "Supplier|Bo Lund|||16/02/24"},
		"SIGNED by the Client     Ada Kern            Date 14/02/24\nSIGNED by the Supplier   B. Lund    Date 16/02/24\n":   {"Client|Ada Kern|||14/02/24", "Supplier|B. Lund|||16/02/24"},
		"Signed (Buyer): Ada Kern     Date: 8th July 2024\n":                                                                {"Buyer|Ada Kern|||8th July 2024"},
		"For the Client: Ada Kern, Director   Date: 31/05/24\n":                                                             {"Client|Ada Kern|Director||31/05/24"},
		"Agreed by the Seller: Ada Kern (Director)\n":                                                                       {"Seller|Ada Kern|Director||"},
		"Signed .... A Kern ....      Date: 3rd Feb 2025\n":                                                                 {"|A Kern|||3rd Feb 2025"},
		"For the Client: Ada Kern, Director\n":                                                                              nil, // may be an address for notices
		"Signed by the Client: on the last page\n":                                                                          nil,
		"Signed copies: Two Original Papers\n":                                                                              nil,
		"SIGNED AND DELIVERED for and on behalf of NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\nTitle: Director\n": {"NORDEN PUMPS LTD|Ada Kern|Director||"},
		"Signed by Ada Kern on behalf of NORDEN\nPUMPS LTD\n\n____________\n":                                               {"NORDEN PUMPS LTD|Ada Kern|||"},
	} {
		got := signaturesOf(read(t, "The parties have agreed on all of this.\n\n"+text))
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "\n", " ")
		}
		equal(t, text, got, want)
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

// TestSignersAsRead reads blocks as programs read them from pages and tables: names that are printed
// another way than they are signed, labels before all values, captions, and people beside the signers.
func TestSignersAsRead(t *testing.T) {
	const witness = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"printed in parentheses":     {"For and on behalf of NORDEN PUMPS LTD /s/ A. Kern (Ada Kern) Commercial Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Commercial Director||"}},
		"printed after By":           {"NORDEN PUMPS LTD\n\n/s/ Liz Kern\nBy: Elizabeth C. Kern\nDirector\n", []string{"NORDEN PUMPS LTD|Elizabeth C. Kern|Director||"}},
		"printed without a space":    {"NORDEN PUMPS LTD\nBy:/s/Ada KernAda Kern\nDirector\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"printed twice at once":      {"By:/s/Ada B. KernAda B. Kern\n", []string{"|Ada B. Kern|||"}},
		"procuration above the name": {"NORDEN PUMPS GMBH\n\n/s/ ppa. Kern\n\nppa. Ada Kern\nHead of Sales\n", []string{"NORDEN PUMPS GMBH|Ada Kern|Head of Sales||"}},
		"an office that is cut":      {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern\nAda Kern, Managing\n", []string{"NORDEN PUMPS LTD|Ada Kern|Managing||"}},
		"recognized characters":      {"NORDEN PUMPS LTD\nBy: Isl Ada Kern\n\nSUDEN FARMS INC.\nBy: ls/ Bo Lund\n", []string{"NORDEN PUMPS LTD|Ada Kern|||", "SUDEN FARMS INC.|Bo Lund|||"}},
		"signed, and a name below":   {"NORDEN PUMPS LTD\n\nSigned\n\nAda Kern\nDirector\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"values below all labels":    {"NORDEN PUMPS LTD\nSignature:\nName:\nPosition:\n\nAda Kern\nGeneral Manager\n", []string{"NORDEN PUMPS LTD|Ada Kern|General Manager||"}},
		"dotted lines":               {"NORDEN PUMPS AS\n\n..............................\nSignature\nADA KERN\n..............................\nName in block letters\n", []string{"NORDEN PUMPS AS|ADA KERN|||"}},
		"a name in full":             {"For and on behalf of Norden Pumps Ltd\nName (written out in full): Ada Kern\nPosition: Director\nSignature ..............................\n", []string{"Norden Pumps Ltd|Ada Kern|Director||"}},
		"a table with functions":     {"Party\tName of signatory\tFunction\tDate\tSignature\nNorden Pumps ApS\tAda Kern\tCEO\t12-04-2019\t\n", []string{"Norden Pumps ApS|Ada Kern|CEO||12-04-2019"}},
		"two directors of a deed":    {"Executed as a deed by\nNORDEN PUMPS LIMITED\nacting by two directors\nADA KERN and\nBO LUND\n", []string{"NORDEN PUMPS LIMITED|ADA KERN|directors||", "NORDEN PUMPS LIMITED|BO LUND|directors||"}},
		"a party of the same family": {"/s/ Ada Kern\nAda Kern, individually\n\nHESTER B. KERN\nBy: /s/ Bo Lund, attorney-in-fact\n", []string{"|Ada Kern|individually||", "HESTER B. KERN|Bo Lund|attorney-in-fact||"}},
		"a witness beside":           {"NORDEN PUMPS LTD\n\n/s/ Ada Kern\n(Signature)\nAda Kern\n(Print Name)\n\nWitness: /s/ Cy Dahl\n(Signature of witness)\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"counsel":                    {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern\nDirector\n\nAPPROVED AS TO FORM:\n\nBy: /s/ Cy Dahl\nAttorneys for Norden Pumps Ltd\n\nBy: /s/ Eve Falk\nCounsel for Suden Farms Inc.\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"who prepared it":            {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern\n\nPrepared by: Cy Dahl\n\nDelivered by: Eve Falk (maintenance)\n\nPrepared by:\nGil Holm, Esq.\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"the state of a signature":   {"NORDEN PUMPS LTD\nBy: /s/ Ada Kern\n\nStatus:\tSigned\nTransaction ID:\tCBJCH\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"labels without a space":     {"NORDEN PUMPS LTD\nBy/s/ Ada Kern\nNameAda Kern\nTitleDirector\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"a cross before the line":    {"SELLER              BUYER\n\nX __________  Date 8/2/20     X __________  Date 8/2/20\nAda Kern              Bo Lund\n", []string{"SELLER|Ada Kern|||", "BUYER|Bo Lund|||"}},
		"a role before the line":     {"Landlord: ______________ (Ada Kern)      Date: __________\n\nTenant:   ______________ (Bo Lund)      Date: __________\n", []string{"|Ada Kern|||", "|Bo Lund|||"}},
		"a couple":                   {"The Borrowers\n\nSigned: Ada Kern and Bo Kern, husband and wife\n", []string{"The Borrowers|Ada Kern and Bo Kern|||"}},
		"signed in Spanish":          {"EL FABRICANTE\nCerámicas Norden, S.L.\n\nFdo.: Ada Kern\nAdministradora Única\n", []string{"Cerámicas Norden, S.L.|Ada Kern|Administradora Única||"}},
		"an office and a dash":       {"NORDEN PUMPS LTD\n____________________\nDirector – Ada Kern\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"an English first name":      {"SIGNED by CHAN TAI MAN, PETER )\n", []string{"|CHAN TAI MAN, PETER|||"}},
		"a column for each signer":   {"\tProvider\tClient\nCompany\tNorden Pumps Ltd\tSuden Farms Inc.\nSignature\t\t\nName\tAda Kern\tBo Lund\nPosition\tDirector\tManager\n", []string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden Farms Inc.|Bo Lund|Manager||"}},
		"a head row and bars":        {"| Party | Name | Capacity | Signature | Date |\n|---|---|---|---|---|\n| Norden Pumps Ltd | Ada Kern | Director | | 2 Oct 2017 |\n| Suden Farms Inc. | Bo Lund | Manager | | |\n", []string{"Norden Pumps Ltd|Ada Kern|Director||2 Oct 2017", "Suden Farms Inc.|Bo Lund|Manager||"}},
		"captions without lines":     {"Executed by Norden Pumps Pty Ltd ACN 000 999 111 in accordance with section 127 of the Corporations Act 2001 (Cth):\n\nSignature of director\n\nAda Kern\nName of director (print)\n\nSignature of company secretary/director\n\nBo Lund\nName of company secretary/director (print)\n\nSigned for Suden Farms Limited by its authorised representative in the presence of:\n\nSignature of witness\n\nCy Dahl\nName of witness (print)\n\nSignature of authorised representative\n\nEve Falk\nName of authorised representative (print)\n", []string{"Norden Pumps Pty Ltd|Ada Kern|director||", "Norden Pumps Pty Ltd|Bo Lund|||", "|Eve Falk|authorised representative||"}},
		"a heading below a form":     {"By: ____________\nName: ____________\nTitle: ____________\n\nAttachment A\n", []string{"||||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, witness+c.text)), c.want) })
	}
}

// TestNoSignersInOtherText reads ordinary text that has marks and words of signature blocks.
func TestNoSignersInOtherText(t *testing.T) {
	prose := strings.Repeat("The seller describes the pumps in the annual report.\n\n", 25)
	for _, text := range []string{
		"Pump Parts\n\nRed Valve\nRed Valve\n", "Offices\n\nParis\nNew York New York\n", "Home\n\nPrivacy Policy\nPrivacy Policy\nTerms of Use\n", "Terms of UseTerms of Use",
		"Team\n\nAda Kern\nAda Kern, Director\n\nBo Lund\nBo Lund, Manager\n",
		"1. Payment\n\nPayment is due as follows:\nBy Wire Transfer\nBy Credit Card\n", "The Great Book\n\nBy Ada Kern\n\nChapter One\n", "Delivery terms\n\nBy Air Mail\n",
		prose + "Norden Pumps Ltd\n\nMonthly Rent: S/ 3,500\n\n" + prose, "Pump A\n\nS/ 1,500\n\nPump B\n", prose + "The Owner /s Ada Kern\n" + prose, "Ship to: Isl Norfolk Harbour\n",
		"Folder: \\s\\Shared Folder\n", "10 m / s / Maximum Load\n", "Use xcopy /s Source Folder\n",
		prose + "Lease Agreement (signed)\nInsurance Certificate (signed)\n" + prose, prose + "The lease (signed) Ada Kern\n" + prose,
		prose + "Amount: ________ (US Dollars)\nCity: ________ (Town Name)\n" + prose, "X ____________\nSteel Pump\n\nX ____________\nRed Valve\n",
		"Contract status\n\nSigned\n\nAda Kern\nManager\n", "Delivered by: Ada Kern\nReceived by the buyer.\n",
	} {
		equal(t, "signatures of "+text, signaturesOf(read(t, text)), nil)
	}
}

// TestStillSigners finds signers next to words that usually mark someone who does not sign.
func TestStillSigners(t *testing.T) {
	const witness = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n"
	for text, want := range map[string][]string{
		"SIGNED SEALED AND DELIVERED by: ADA KERN )\nin the presence of: )\n":           {"|ADA KERN|||"},
		"EXECUTED AND DELIVERED by: NORDEN LIMITED acting by ADA KERN, director\n":      {"NORDEN LIMITED|ADA KERN|director||"},
		"/s/ Ada Kern\nAttorney for Plaintiff\n\n/s/ Bo Lund\nAttorney for Defendant\n": {"|Ada Kern|Attorney for Plaintiff||", "|Bo Lund|Attorney for Defendant||"},
		"NORDEN LTD\nIssued by: /s/ Ada Kern\nName: Ada Kern\nTitle: CEO\n":             {"NORDEN LTD|Ada Kern|CEO||"},
		"NORDEN LTD\nBy: /s/ Ada Board\nName: Ada Board\nTitle: CEO\n":                  {"NORDEN LTD|Ada Board|CEO||"},
		"NORDEN LTD\nBy: /s/ MIMI\n":                                                    {"NORDEN LTD|MIMI|||"},
		"SIGNED by ) Abcdefghijklmnop\n":                                                nil,
		"SIGNED by ADA KERN ) Ada Kern\n":                                               {"|ADA KERN|||"},
		"Prepared by: Cy Dahl\n\nBy: /s/ Bo Lund\nName: Bo Lund\n":                      {"|Bo Lund|||"},
		"NORDEN LTD\nBy: /s/ Ada Kern\n\nAnnex\n\nNew York New York\n":                  {"NORDEN LTD|Ada Kern|||"},
		"By: ____________\nWilliam Kern\nBill Kern\nBy: ____________\n":                 {"|Bill Kern|||"},
	} {
		equal(t, "signatures of "+text, signaturesOf(read(t, witness+text)), want)
	}
}

// TestFragmentsOfSignatures reads random sequences of what signature blocks consist of.
func TestFragmentsOfSignatures(t *testing.T) {
	parts := []string{
		"SIGNED by ", "ADA KERN", "Ada Kern", "Bo", "Featherstonehaugh", " ) ", ")", "(", "\n", "\n\n", "    ", "\t", "|", " | ", "By", "By:", "by: ", "/s/ ", "s/ ", "Isl ", "(signed) ", "Name", "Name:", "NameAda",
		"Title ", "____________", "............", "X ________ Date", "Tenant: ________ (", "Signature of director", "Name of director (print)", "Prepared by:", "Attorneys for ", "Approved as to form",
		"IN WITNESS WHEREOF, the parties have executed this Agreement.\n", "acting by two directors ", " and ", ", husband and wife", "NORDEN LTD", " ACN 000 999 111", "Party\tName\tSignature\n", "é", "\xff", "\u00a0", "a",
	}
	r := rand.New(rand.NewPCG(8, 9))
	for range 20_000 {
		var b strings.Builder
		b.WriteString(parts[r.IntN(2)*r.IntN(len(parts))]) // half of them are deeds
		for range r.IntN(9) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		checkInvariants(t, b.String(), read(t, b.String()))
	}
}
