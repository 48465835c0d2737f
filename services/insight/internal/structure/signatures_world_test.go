package structure

import "testing"

// TestSignaturesOfTheWorld reads signature blocks as they are usual in other places than the
// United States.
func TestSignaturesOfTheWorld(t *testing.T) {
	witness := "IN WITNESS WHEREOF the parties have executed this Agreement.\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a deed over lines": {
			"Executed as a deed by NORDEN MARSH\nPUMPS LIMITED acting by\nADA JANE KERN, a director,\nin the presence of:          ..........\n\nSignature of witness: ..........\nName: CY HOLM\nAddress: 1 High Street\n",
			[]string{"NORDEN MARSH\nPUMPS LIMITED|ADA JANE KERN|director||"},
		},
		"a deed with brackets": {
			"SIGNED AND DELIVERED by the within named       )\n\"VENDOR\" M/s. NORDEN PUMPS PVT. LTD.            )\nthrough its Director                           )\nMr. Ada Kern                                   )   ____________\nin the presence of                             )\n1. Cy Holm                                     )\n",
			[]string{"NORDEN PUMPS PVT. LTD.|Mr. Ada Kern|Director||"},
		},
		"a person by deed": {
			"Signed as a deed by                       )\nADA KERN                                  )   ..........\nin the presence of:                       )\n\nSignature of witness:  ..........\nName:                  Cy Holm\n",
			[]string{"|ADA KERN|||"},
		},
		"by the hand of": {
			"SIGNED AND DELIVERED by the within named\nCOMPANY, NORDEN PUMPS PRIVATE LIMITED,\nby the hand of its Director, Ada Kern,\npursuant to the resolution of its Board dated 2nd August 2021      ____________\n",
			[]string{"NORDEN PUMPS PRIVATE LIMITED|Ada Kern|Director||"},
		},
		"parentage": {
			"SIGNED AND DELIVERED by the within named       )\n\"LICENSOR\" Mrs. ADA KERN                       )\nw/o Late C. Kern, PAN AAAPV0000K               )\n\nin the presence of 1. Cy Holm\n",
			[]string{"|Mrs. ADA KERN|||"},
		},
		"an attorney": {
			"SIGNED by ADA KERN as attorney         )\nfor NORDEN PUMPS LIMITED under a power  )\nof attorney dated 5 March 2021         )   /s/ Ada Kern\n",
			[]string{"NORDEN PUMPS LIMITED|ADA KERN|||"},
		},
		"a common seal": {
			witness + "THE COMMON SEAL of                   )\nNORDEN PUMPS LIMITED                 )\n(a BVI company) was hereunto         )\naffixed and signed by                )      [L.S.]\nAda Kern, Director                   )\nand Bo Lund-ling, Company Secretary  )\nin the presence of:                  )\n\n____________\nWitness: Cy Holm\n",
			[]string{"NORDEN PUMPS LIMITED|Ada Kern|Director||", "NORDEN PUMPS LIMITED|Bo Lund-ling|Company Secretary||"},
		},
		"section 127": {
			"Executed by Norden Pumps Pty Ltd\n(ACN 000 111 222) in accordance with section 127\nof the Corporations Act 2001 (Cth):\n\n______________________        ______________________\nSignature of director         Signature of director/company secretary\n                              (delete as applicable)\n\nAda Kern                      Bo Lund\n______________________        ______________________\nName of director (print)      Name of director/company secretary (print)\n",
			[]string{"Norden Pumps Pty Ltd|Ada Kern|director||", "|Bo Lund|||"},
		},
		"the signature of a witness": {
			"Executed by Norden Pumps Ltd:\n\n______________________        ______________________\nSignature of witness          Signature of attorney\n\nCy Holm                       Ada Kern\nName of witness (print)       Name of attorney (print)\n",
			[]string{"|Ada Kern|attorney||"},
		},
		"dotted lines": {
			witness + "..........................          ..........................\nSignature of director               Signature of director/company secretary\nAda Kern                            Bo Lund\nName of director (print)            Name of secretary (print)\n\nBy: ____________\n",
			[]string{"|Ada Kern|director||", "|Bo Lund|||"},
		},
		"procuration": {
			"________________________                     ________________________\nNorden Pumpen GmbH                           Suden AG\n\nppa. Dr. Ada Kern                            Bo von der Lund\nProkuristin                                  Vorstand\n\ni.V. Cy Holm\nLeiterin Einkauf\n",
			[]string{"Norden Pumpen GmbH|Dr. Ada Kern|Prokuristin||", "Suden AG|Bo von der Lund|Vorstand||", "Norden Pumpen GmbH|Cy Holm|||"},
		},
		"two for a company": {
			"____________\nNorden Pumpen GmbH\nAda Kern\nGeschäftsführerin\n\n____________\nNorden Pumpen GmbH\nBo Lund\nProkurist\n",
			[]string{"Norden Pumpen GmbH|Ada Kern|Geschäftsführerin||", "Norden Pumpen GmbH|Bo Lund|Prokurist||"},
		},
		"Spanish": {
			"NORDEN, S.A. DE C.V.                         SUDEN, S.R.L.\n\nPor: ____________________________            Por: ____________________________\nNombre: Ada Kern                             Nombre: Bo Lund y Holm\nCargo: Apoderada Legal                       Cargo: Gerente\n\n                    TESTIGOS\n\n____________________                         ____________________\nCy Holm                                      Di Berg\n",
			[]string{"NORDEN, S.A. DE C.V.|Ada Kern|Apoderada Legal||", "SUDEN, S.R.L.|Bo Lund y Holm|Gerente||"},
		},
		"two languages":  {"NORDEN LTDA.\n____________\nNome/Name: Ada Kern\nCargo/Title: Diretora\n", []string{"NORDEN LTDA.|Ada Kern|Diretora||"}},
		"represented by": {"Norden Pumps B.V.\nrepresented by: Kern Beheer B.V., its sole managing director\nrepresented by: Ada Kern\ntitle: Director\n\n____________\n", []string{"Norden Pumps B.V.|Ada Kern|Director||"}},
		"a seal": {
			witness + "April 1, 2016\n\nParty A:   2-7-9 Nihonbashi, Chuo-ku, Tokyo\n           Norden Pumps Co., Ltd.\n           Ada KERN\n           Representative Director and President        (seal)\n\nParty B:   4-1 Minami-Senba, Chuo-ku, Osaka\n           Suden Kagaku K.K.\n           Representative Director    Bo LUND      (seal)\n",
			[]string{"Norden Pumps Co., Ltd.|Ada KERN|Representative Director and President||", "Suden Kagaku K.K.|Bo LUND|Representative Director||"},
		},
		"a title above the name": {
			witness + "Norden Kagaku Kogyo K.K.\nRepresentative Director and President\nAda Kern            (seal)\n",
			[]string{"Norden Kagaku Kogyo K.K.|Ada Kern|Representative Director and President||"},
		},
		"lines that were lost": {
			"The law is that of Ireland.\n\nNorden Pumps Limited\nAda Kern, Export Director\n\nSuden S.A.\nBo Lund, Member of the Board\n",
			[]string{"Norden Pumps Limited|Ada Kern|Export Director||", "Suden S.A.|Bo Lund|Member of the Board||"},
		},
		"lines that were lost, in columns": {
			"The law is that of Italy.\n\nThe Principal                          The Agent\nNorden Pumps S.p.A.                    Suden, S.L.\n\nAda Kern                               Bo Lund\nManaging Director                      Sole Administrator\n",
			[]string{"Norden Pumps S.p.A.|Ada Kern|Managing Director||", "Suden, S.L.|Bo Lund|Sole Administrator||"},
		},
		"acceptance of a letter": {
			"Yours sincerely\n\nAda Kern\nCommercial Director\nfor and on behalf of Norden Pumps Limited\n\nWe agree to the above.\n\nBo Lund\nManaging Director\nfor and on behalf of Suden Ltd\n",
			[]string{"Norden Pumps Limited|Ada Kern|Commercial Director||", "Suden Ltd|Bo Lund|Managing Director||"},
		},
		"lines of ellipses": {
			"Yours faithfully\n\n………………………………\nAda Kern\nFinance Director\n\nThe letter goes on for a while.\n\n………………………………\nBo Lund\nDesignated Member\nFor and on behalf of Suden LLP\n",
			[]string{"|Ada Kern|Finance Director||", "Suden LLP|Bo Lund|Designated Member||"},
		},
		"a deed cut in presence": {
			"Signed as a deed by ADA\nJANE KERN in the presence           ......................\nof:\n\n......................\nWitness name: Cy Holm\n",
			[]string{"|ADA\nJANE KERN|||"},
		},
		"a company in the acceptance": {"ACCEPTED:\nNORDEN FARM CREDIT\n\nBy: ______________\nName: Ada Kern\n", []string{"NORDEN FARM CREDIT|Ada Kern|||"}},
		"by, on the next line": {
			"SIGNED SEALED AND DELIVERED\nby the said ADA KERN\nin the presence of:                ______________________________\n\nWitness: Cy Holm, Bank Official\n",
			[]string{"|ADA KERN|||"},
		},
		"the within named, without a comma": {
			"SIGNED AND DELIVERED by the withinnamed LICENSOR\nM/s. Norden Realty Private Limited\nthrough its Authorised Signatory\nAda Kern          ____________________\n",
			[]string{"Norden Realty Private Limited|Ada Kern|Authorised Signatory||"},
		},
		"offices as captions": {
			"NORDEN PUMPS LIMITED\n\n_______________________            _______________________\nDIRECTOR                           SECRETARY\nChief Ada Kern                     Bo Lund\n",
			[]string{"NORDEN PUMPS LIMITED|Chief Ada Kern|DIRECTOR||", "|Bo Lund|SECRETARY||"},
		},
		"offices as captions of dots": {
			"Executed by NORDEN PUMPS PTY LTD:\n\n...............................      ...............................\nDirector                             Director/Company Secretary\nAda Kern                             Bo Lund\n",
			[]string{"NORDEN PUMPS PTY LTD|Ada Kern|Director||", "|Bo Lund|Director/Company Secretary||"},
		},
		"an office beside the name":      {"NORDEN PUMPS PLC\n\n________________________\nDirector  Ada Kern-Holm\n", []string{"NORDEN PUMPS PLC|Ada Kern-Holm|Director||"}},
		"signed and chopped":             {"For and on behalf of\nNorden Properties Limited\n\n(Signed and chopped)\nAda Kern, Director\n", []string{"Norden Properties Limited|Ada Kern|Director||"}},
		"labels in two scripts":          {"For and on behalf of\nNorden Optical Co., Ltd.\n\nSignature 签字: _______________\nLegal Representative 法定代表人: Ada Kern\n", []string{"Norden Optical Co., Ltd.|Ada Kern|Legal Representative||"}},
		"a signature in quotation marks": {"I accept this offer.\n\n\"Ada Kern\"\nAda Kern\n", []string{"|Ada Kern|||"}},
		"a seal beside the name": {
			witness + "Norden Pumps Co., Ltd.\nAddress: 88 Teheran-ro, Gangnam-gu, Seoul\nRepresentative Director: Ada Kern-lee  (seal)\n",
			[]string{"Norden Pumps Co., Ltd.|Ada Kern-lee|Representative Director||"},
		},
		"signed on dots": {
			"Norden Pumps Co., Ltd.\n\nSigned ........................................ Service Provider\n           (Mr. Ada Kern)\n              Authorized Director\n\nSigned ........................................ Witness\n           (Miss Cy Holm)\n",
			[]string{"Norden Pumps Co., Ltd.|Mr. Ada Kern|Authorized Director||"},
		},
		"a name between strokes": {"NORDEN PUMPS LTD\n\n________________ / A.B. Kern /\n", []string{"NORDEN PUMPS LTD|A.B. Kern|||"}},
		"names below dots": {
			"Norden Pumps B.V.\n\n....................................      ....................................\nName: A. van Kern                         Name: B. Lund-de Holm\nTitle: Managing Director                  Title: Proxy holder\n",
			[]string{"Norden Pumps B.V.|A. van Kern|Managing Director||", "|B. Lund-de Holm|Proxy holder||"},
		},
		"a list of witnesses": {
			"SIGNED AND DELIVERED by the within named\nSELLER, Mrs. Ada Kern            ____________________\nin the presence of:\n\n1. Name: Cy Holm    Signature: ______________\n2. Name: Di Berg    Signature: ______________\n",
			[]string{"|Mrs. Ada Kern|||"},
		},
		"signed, on a copy": {
			"NORDEN PUMPS LTD\n\nPer: (s) Ada Kern\n     Ada Kern, Director\n\nSUDEN FARMS INC.\n\nPer:   signed \"Bo Lund\"\n       ----------------\n       Authorized Signatory\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Authorized Signatory||"},
		},
		"Sd/-":                   {"For Norden Pumps Pvt. Ltd.\n\nSd/-\n(Ada Kern)\nAuthorised Signatory\n", []string{"Norden Pumps Pvt. Ltd.|Ada Kern|Authorised Signatory||"}},
		"an office, as a label":  {"NORDEN PUMPS LTD\n\n________________________\nDirector: Ada Kern\n\n________________________\nSecretary: Bo Lund\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||", "NORDEN PUMPS LTD|Bo Lund|Secretary||"}},
		"a name beside the line": {"NORDEN PUMPS LTD\n\nBy: ________\nName: Ada Kern\n\n.............................. (Bo Lund)\n", []string{"NORDEN PUMPS LTD|Ada Kern|||", "NORDEN PUMPS LTD|Bo Lund|||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

// TestSignaturesOfPrograms reads signature blocks that programs fill in, or that lost their
// lines on the way.
func TestSignaturesOfPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a stamp below the label": {
			"NORDEN PUMPS, INC.                    SUDEN LLC\n\nBy:  DocuSigned by:                   By:  DocuSigned by:\n     Ada Kern                              Bo Lund\n     3E9F0A77B1C84D2...                    A10C55E6FF0947B...\nName:  Ada Kern                       Name:  Bo Lund\nTitle: VP Legal                       Title: Partner\n",
			[]string{"NORDEN PUMPS, INC.|Ada Kern|VP Legal||", "SUDEN LLC|Bo Lund|Partner||"},
		},
		"a time": {
			"Customer: Norden Pumps Ltd\nAda Kern (Mar 4, 2022 10:22 GMT)\nTitle: Head of Digital\n\nCreated: 2022-03-03   By: Cy Holm (cy@example.com)   Status: Signed\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Head of Digital||"},
		},
		"without line breaks": {
			"IN WITNESS WHEREOF, the parties have executed this Agreement. NORDEN PUMPS LTD By:/s/ Ada KernName:Ada KernTitle:Director SUDEN FARMS INC. By:/s/ Bo LundName:Bo LundTitle:Manager",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"a table with a head row": {
			"Party\tSignature\tName\tTitle\tDate\nNorden Pumps Pty Ltd\t\tAda Kern\tDirector\t12/08/2020\nSuden plc\t\tBo Lund\tManager\t14/08/2020\n",
			[]string{"Norden Pumps Pty Ltd|Ada Kern|Director||12/08/2020", "Suden plc|Bo Lund|Manager||14/08/2020"},
		},
		"a table with bars": {
			"| | Customer | Vendor |\n|---|---|---|\n| Entity | Norden Pumps Ltd | Suden LLC |\n| Signature | | |\n| Printed Name | Ada Kern | Bo Lund |\n| Title | Director | Manager |\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden LLC|Bo Lund|Manager||"},
		},
		"a table with tabs": {
			"\tParty 1\tParty 2\nCompany\tNorden Pumps Ltd\tSuden LLC\nPrint Name\tAda Kern\tBo Lund\nTitle\tDirector\tManager\nSignature\t_____________\t_____________\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden LLC|Bo Lund|Manager||"},
		},
		"a register of signatures": {
			"The document is signed using a secure digital signing service.\n\nAda Kern\nAdm. Director\nOn behalf of: Norden Pumps Ltd\nSerial number: 5e2c1f7a\nIP: 87.49.0.1\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Adm. Director||"},
		},
		"misread labels":        {"NORDEN PUMPS LTD\n\nBy: ____________\nNarne:  Ada Kern\nTitie:  Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"the name first":        {"NORDEN PUMPS LTD\n\nDate:  10/02/2019\nTitle: Director\nName:  Ada Kern\nBy:    /s/ A. Kern\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||10/02/2019"}},
		"the name above":        {"PURCHASER:\n\nAda Kern\n____________________\n(PRINT NAME)\n\n____________________\n(Signature)\n", []string{"|Ada Kern|||"}},
		"the signature above":   {"PURCHASER:\n\nADA KERN\n\n____________________\n(Signature)\n", []string{"ADA KERN|ADA KERN|||"}},
		"the name below a row":  {"I accept this offer:\n\nSignature: ______________     Date: ____________\n           Ada Kern\n", []string{"|Ada Kern|||"}},
		"a role after the name": {"____/s/ Ada Kern____\nAda Kern, Plaintiff\n", []string{"|Ada Kern|Plaintiff||"}},
		"a place for a seal":    {"GUARANTOR:\n\n______________ (SEAL)\n(Ada Kern, Sr.)\n", []string{"GUARANTOR|Ada Kern, Sr.|||"}},
		"initials, hidden":      {"NORDEN PUMPS, P.C.\n\nSignature: ____________\nPrinted: Ada Kern, P.E.\nPosition: Principal\n", []string{"NORDEN PUMPS, P.C.|Ada Kern, P.E.|Principal||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

// TestWitnessesBeside leaves out witnesses who sign beside the parties, and notaries.
func TestWitnessesBeside(t *testing.T) {
	for name, text := range map[string]string{
		"two witnesses": "Signed, sealed and delivered\nin the presence of:                     LANDLORD:\n                                        NORDEN PUMPS, INC.\n/s/ Cy Holm                             By: /s/ Ada Kern\nPrint Name: Cy Holm                     Name: Ada Kern\n                                        Title: Director\n/s/ Di Berg\nPrint Name: Di Berg\n",
		"counsel":       "NORDEN PUMPS, INC.\n\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Director\n\nApproved as to form:\n\n/s/ Cy Holm, Esq.\n",
		"attest":        "ATTEST:                              NORDEN PUMPS, INC.\n\n/s/ Cy Holm                          By: /s/ Ada Kern\n______________________               __________________________\nCy Holm, City Clerk                  Ada Kern, Director\n",
		"a notary":      "NORDEN PUMPS, INC.\n\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Director\n\n/s/ Cy D. Holm\nCy D. Holm\nNOTARY PUBLIC in and for the State of Ohio\nMy appointment expires: 3/1/2018\n",
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "signatures", signaturesOf(read(t, text)), []string{"NORDEN PUMPS, INC.|Ada Kern|Director||"})
		})
	}
}

// TestNoSigners reads texts that look like signatures, but are none.
func TestNoSigners(t *testing.T) {
	for name, text := range map[string]string{
		"an item of a list":       "(r) Insurance Certificate;\n(s) Environmental Reports;\n(t) Title Report\n",
		"a heading below AGREED":  "AGREED:\n\nDefinitions\n\nThe words mean this.\n",
		"a status":                "Accepted\nProject Plan\n\nRejected\nProject Budget\n",
		"a table of contents":     "5. Payment by ......... 7\n6. Company .......... 8\n7. Name ......... 9\nAuthorized Signature ............ 12\nTitle ............ 13\nDate .......... 14\n",
		"an address for notices":  "Notices are sent to:\n\nNorden Inc.\nAda Kern\nGeneral Counsel\n1 Main Street\nDayton, Ohio\n",
		"an approval of the form": "Approved as to form:\n\n/s/ Cy Holm\nCy Holm\n",
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, text)), nil) })
	}
}

// TestSignersWithOffices keeps offices apart from the names of people and of companies.
func TestSignersWithOffices(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a company called Guardian":      {"/s/ Ada Kern\nAda Kern\nGuardian Industries, LLC\n", []string{"Guardian Industries, LLC|Ada Kern|||"}},
		"all on a line":                  {"/s/ Ada Kern\nAda Kern Chief Executive Officer Norden Media, Inc.\n", []string{"|Ada Kern|Chief Executive Officer Norden Media, Inc.||"}},
		"a person called Chancellor":     {"____________________\nAda Chancellor\n", []string{"|Ada Chancellor|||"}},
		"the last row of a table":        {"Party\tSignature\tName\tTitle\nNorden Ltd\t\tAda Kern\tDirector\nBo Lund\tManager", []string{"Norden Ltd|Ada Kern|Director||"}},
		"a signature on a line, letters": {"SIGNED by \u0130STANBUL \u0130N\u015eAAT SANAY\u0130 LTD /s/ Ada Kern\n", []string{"\u0130STANBUL \u0130N\u015eAAT SANAY\u0130 LTD|Ada Kern|||"}},
		"letters that grow":              {"Executed by \u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a Ltd /s/ Ada Kern\n", []string{"\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a\u023a Ltd|Ada Kern|||"}},
		"a place for a seal on dots":     {"NORDEN LTD\n\nBy: ________\nName: Ada Kern\n\n................. (SEAL)\n", []string{"NORDEN LTD|Ada Kern|||"}},
		"a stamp after the labels":       {"NORDEN LTD\n\nBy: Ada Kern\nTitle: Director\nAda Kern (Mar 4, 2022 10:22 GMT)\n", []string{"NORDEN LTD|Ada Kern|Director||"}},
		"a company's parentage":          {"SIGNED AND DELIVERED by the within named       )\n\"TENANT\" Mr. BO LUND            )\ns/o Cy Lund, PAN AAAPV0000K    )\n", []string{"|Mr. BO LUND|||"}},
		"by its director":                {"Executed by NORDEN LTD by its director Ada Kern\n\n..........\n", []string{"NORDEN LTD|Ada Kern|director||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

// TestTablesInOrder shows that tables of different forms are in text order, and none is found
// twice.
func TestTablesInOrder(t *testing.T) {
	rows := "Licensor | Acme Inc.\nLicensee | Beta LLC\nProduct | Widget\n"
	aligned := "Alpha      Beta      Gamma\nDelta      Epsil     Zeta\nEta        Theta     Iota\n"
	for text, want := range map[string]int{
		rows + "\nThe parties agree.\n\n" + aligned:                                 2,
		aligned + "\nThe parties agree.\n\n" + rows:                                 2,
		"Org\tSigned\tName\tDate\nAaaa\tBbbb\tCccc\tDddd\nAaaa\tBbbb\tCccc\tDddd\n": 1,
	} {
		d := read(t, text)
		if len(d.Tables) != want {
			t.Errorf("%q: got %d tables, want %d", text, len(d.Tables), want)
		}
		for i := 1; i < len(d.Tables); i++ {
			if d.Tables[i].Start < d.Tables[i-1].End {
				t.Errorf("%q: the tables are at %v and %v", text, d.Tables[i-1].Span, d.Tables[i].Span)
			}
		}
	}
}
