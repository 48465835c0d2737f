package preamble_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// summary describes a party: its name, reference name, role, jurisdiction and address,
// separated by bars. A person has an asterisk before the name.
func summary(name string, p preamble.Party) string {
	mark := ""
	if p.IsPerson(name) {
		mark = "*"
	}
	parts := []string{mark + name, p.Reference(), p.PartyRole(), p.Jurisdiction(), p.Address()}
	return strings.TrimRight(strings.Join(parts, "|"), "|")
}

// preambles are beginnings of contracts, and what they say about the parties.
var preambles = []struct {
	text string
	want []string
}{
	{
		`This Supply Agreement is made between Alder Castings s.r.o., a company registered in the Czech Republic ("Supplier"), and Birch Foods Pty Ltd of Level 3, 240 Queen Street, Brisbane QLD 4000 of the SECOND PART ("Buyer").`,
		[]string{"Alder Castings s.r.o.|Supplier|Supplier|Czech Republic", "Birch Foods Pty Ltd|Buyer|Buyer||Level 3, 240 Queen Street, Brisbane QLD 4000"},
	},
	{
		"Loan of an Employee\n\nbetween\n\nAlder Antrieb GmbH, Uferweg 41, 14770 Brandenburg an der Havel\n- \"Home Company\" -\n\nand\n\nBirch Nord GmbH, Kai 7, 24143 Kiel\n- \"Host Company\" -\n\nPreamble\n\nBoth companies agree.",
		[]string{"Alder Antrieb GmbH|Home Company|Home Company||Uferweg 41, 14770 Brandenburg an der Havel", "Birch Nord GmbH|Host Company|Host Company||Kai 7, 24143 Kiel"},
	},
	{
		"Framework Agreement\n\nbetween\n\nAlder Sport GmbH & Co. KG, Uferweg 41, 99817 Eisenach\n– hereinafter \"Studio\" –\n\nand\n\nBirchbau Ostertal eG, Kai 7, 24143 Kiel, registered cooperative (GnR 200118)\n– hereinafter \"Employer\" –\n\n§ 1 Subject",
		[]string{"Alder Sport GmbH & Co. KG|Studio|||Uferweg 41, 99817 Eisenach", "Birchbau Ostertal eG|Employer|Employer||Kai 7, 24143 Kiel"},
	},
	{
		"CONTRACT\n\nBETWEEN THE UNDERSIGNED\n\nOf the one part, ALDER LIFTS, S.L.U., with NIF B-99417203 and address at Calle F, nave 22, Zaragoza.\n\nAnd of the other, the VECINOS CALLE MAYOR 14, with NIF H-50883124, represented by its president Mr. Bo Lund.\n\nIn Zaragoza, on the twelfth of December of the year two thousand and twenty-four.",
		[]string{"ALDER LIFTS, S.L.U.||||Calle F, nave 22, Zaragoza", "VECINOS CALLE MAYOR 14"},
	},
	{
		"Parties\n1) Alder Klaviertransporte, Thun\n2) Ada Kern, Spiez\n3) Bo Lund, Spiez\n\nTask\nParties 2 and 3 give party 1 their piano.",
		[]string{"Alder Klaviertransporte", "Ada Kern", "Bo Lund"},
	},
	{
		"AGENCY CONTRACT\n\nBETWEEN THE UNDERSIGNED:\n\nThe company ALDER BISCUITERIE, a société par actions, registered with the Trade and Companies Register of Cahors under number 811 402 663, represented by Mr Bo LUND,\n\nHereinafter referred to as « the Principal »,\nON THE ONE HAND,\n\nAND:\n\nMrs Ada KERN, born on 11 February 1984 in Vannes,\n\nHereinafter referred to as « the Agent »,\nON THE OTHER HAND,\n\nIT HAS BEEN AGREED AS FOLLOWS:",
		[]string{"ALDER BISCUITERIE|Principal|Principal", "*Ada KERN|Agent|Agent"},
	},
	{
		"(1) **Alder Surveys Limited**, with company number 09914772 (**Client**); and\n\n(2) **Ada Kern** of 2 Chapel Row, Alston (**Consultant**).\n\nbetween",
		nil,
	},
	{
		"PARTIES\n\n(1) **Alder Surveys Limited**, with company number 09914772 (**Client**); and\n\n(2) **Ada Kern** of 2 Chapel Row, Alston (**Consultant**).\n\nBACKGROUND",
		[]string{"Alder Surveys Limited|Client|Client", "*Ada Kern|Consultant|Consultant||2 Chapel Row, Alston"},
	},
	{
		"THIS TENANCY AGREEMENT is made BETWEEN MRS. ADA JOAN KERN of No. 17 Bende Close, Enugu (hereinafter called THE LANDLADY, which expression shall include her heirs) of the one part AND MR. BO LUND of Block 4, Enugu (hereinafter called THE TENANT, which expression shall include his heirs) of the other part.",
		[]string{"*ADA JOAN KERN|LANDLADY", "*BO LUND|TENANT|TENANT"},
	},
	{
		"COOPERATION AGREEMENT\n\nconcluded between\n\n1. Verein Alder Donau, ZVR number 118 420 637, Platz 6, A-2410 Hainburg, represented by its chairwoman\n   (in short: AD)\n\n2. Birch-Ártér Kör, registered by the Győr Court under no. 08-02-0002914, H-9200 Győr\n   (in short: BK)\n\nArticle 1   Aim\n1.1 AD keeps the accounts.",
		[]string{"Verein Alder Donau|AD|||Platz 6, A-2410 Hainburg", "Birch-Ártér Kör|BK"},
	},
	{
		"THIS AGREEMENT is dated 12 June 2019\n\nPARTIES\n\n(1) Alder Data Limited incorporated and registered in England and Wales with company number 06418852 whose registered office is at Unit 4, Severn Park, Bristol BS11 9HS (Supplier); and\n\n(2) Birch Insurance Limited incorporated and registered in England and Wales with company number 00237719 (Customer).\n\nAGREED TERMS",
		[]string{"Alder Data Limited|Supplier|Supplier|England and Wales|Unit 4, Severn Park, Bristol BS11 9HS", "Birch Insurance Limited|Customer|Customer|England and Wales"},
	},
	{
		"SUPPLY AGREEMENT\n\nParties\nAlder Bay Honey Limited (NZCN 5530417), 88 Whakaipo Road, Taupō (\"Supplier\")\nBirch Grocers Limited (NZCN 1827740), 240 Great South Road, Penrose, Auckland (\"Buyer\")\n\nDated: 28 May 2024",
		[]string{"Alder Bay Honey Limited|Supplier|Supplier||88 Whakaipo Road, Taupō", "Birch Grocers Limited|Buyer|Buyer||240 Great South Road, Penrose, Auckland"},
	},
	{
		"SPONSORSHIP AGREEMENT\n\nWho we are\n\nAssociazione Sportiva Alder Femminile (\"the Club\"), via dello Sport 12, Bassano del Grappa (VI), Italy\nBirch Bevande S.p.A. (\"the Sponsor\"), viale dell'Industria 88, Padova, Italy\n\n1. What this is about\nThe Club plays in the A2 league.",
		[]string{"Associazione Sportiva Alder Femminile|Club|Club", "Birch Bevande S.p.A.|Sponsor|Sponsor"},
	},
	{
		"Data Processing Agreement\n\nbetween\n\nAlder Kliniken gGmbH\nAm Stadtpark 3, 06618 Naumburg, Germany\n– hereinafter the \"Controller\" –\n\nand\n\nBirch Software, Unipessoal Lda.\nRua do Heroísmo 290, 4300-259 Porto, Portugal\n– hereinafter the \"Processor\" –\n\n1. Subject matter",
		[]string{"Alder Kliniken gGmbH|Controller|Controller||Am Stadtpark 3, 06618 Naumburg, Germany", "Birch Software, Unipessoal Lda.|Processor|Processor||4300-259 Porto, Portugal"},
	},
	{
		"SHAREHOLDERS' AGREEMENT\n\nDATED 27 November 2023\n\nPARTIES\n\n(1) ALDER PARTICIPATIES B.V., a private company with limited liability under Dutch law, having its seat in Utrecht, the Netherlands (\"Alder\");\n\n(2) BIRCH INDUSTRIES LIMITED, a company incorporated in Nigeria under RC number 1184902, whose registered office is at 14 Ahmadu Bello Way, Kaduna, Nigeria (\"Birch\");\n\n(3) ADA DANLADI KERN, of 3 Sokoto Close, Abuja, Nigeria (the \"Founder\"); and\n\n(4) CEDAR SOLAR SYSTEMS LIMITED, a company incorporated in Nigeria under RC number 2037741 (the \"Company\").\n\nBACKGROUND",
		[]string{"ALDER PARTICIPATIES B.V.|Alder||Netherlands", "BIRCH INDUSTRIES LIMITED|Birch||Nigeria|14 Ahmadu Bello Way, Kaduna, Nigeria", "ADA DANLADI KERN|Founder|||3 Sokoto Close, Abuja, Nigeria", "CEDAR SOLAR SYSTEMS LIMITED|Company|Company|Nigeria"},
	},
	{
		"B E T W E E N :\n\n ALDER MINERALS LTD.,\n a corporation incorporated under the laws of the Province of Ontario\n (hereinafter referred to as the \"Corporation\")\n\n OF THE FIRST PART\n\n - and -\n\n ADA ANNE KERN,\n of the City of Thunder Bay\n (hereinafter referred to as the \"Geologist\")\n\n OF THE SECOND PART",
		[]string{"ALDER MINERALS LTD.|Corporation||Ontario", "ADA ANNE KERN|Geologist"},
	},
	{
		"This Agreement is between Ms. Ada Kern of Franklin, Tennessee (the \"Writer\") and Bo Lund of Nashville, Tennessee (the \"Producer\").",
		[]string{"*Ada Kern|Writer", "Bo Lund|Producer|Producer"},
	},
	{
		`AGREEMENT ENTERED INTO BY AND BETWEEN, ON THE ONE HAND, ALDER, S.A. DE C.V. (the "Principal"), AND ON THE OTHER HAND, BIRCH, S.A. (the "Agent").`,
		[]string{"ALDER, S.A. DE C.V.|Principal|Principal", "BIRCH, S.A.|Agent|Agent"},
	},
	{
		`This Deed is made the 9th day of June 2021 by ALDER VENTURES PLC, a company incorporated in Ireland (the "Bidder") in favour of BIRCH DAIRIES LIMITED, a company incorporated in Ireland (the "Target").`,
		[]string{"ALDER VENTURES PLC|Bidder|Bidder|Ireland", "BIRCH DAIRIES LIMITED|Target||Ireland"},
	},
	{
		"The undersigned:\n\n1. Alder Seeds B.V., a private company under Dutch law, hereinafter to be referred to as: \"Alder\";\n\nand\n\n2. Birch S.L., a company under Spanish law, hereinafter to be referred to as: \"Birch\";\n\nwhereas:",
		[]string{"Alder Seeds B.V.|Alder||Netherlands", "Birch S.L.|Birch||Spain"},
	},
	{
		`This Agreement is entered into by and between _Alder Works, Inc._ , an Illinois corporation (hereinafter "Company"), and _Ada J. Kern_ , an individual residing at _14 Fennel Street, Dayton, Ohio_ (hereinafter "Consultant").`,
		[]string{"Alder Works, Inc.|Company|Company|Illinois", "*Ada J. Kern|Consultant|Consultant"},
	},
	{
		"This Agreement is made BY AND BETWEEN\n\nM/s. Alder Agrotech Private Limited, a company incorporated under the Companies Act, 1956 (hereinafter referred to as the \"Seller\"); AND\n\nBirch LLP (the \"Buyer\")",
		[]string{"Alder Agrotech Private Limited|Seller|Seller", "Birch LLP|Buyer|Buyer"},
	},
	{
		"BETWEEN: ALDER INC., a corporation, herein represented by Ada Kern, its President, as she so declares; (hereinafter called the \"Corporation\")\n\nAND: BO LUND, chemist, residing at 22 Low Road, Leeds; (hereinafter called the \"Advisor\")",
		[]string{"ALDER INC.|Corporation", "*BO LUND|Advisor|Advisor||22 Low Road, Leeds"},
	},
	{
		`This Supply Agreement (this "Agreement") is made as of March 3, 2021 by and between Alder Works, Inc., a Delaware corporation with offices at 12 Elm Street, Suite 4, Boston, MA 02110 ("Supplier"), and Birch Retail Ltd, a company incorporated in England (the "Customer").`,
		[]string{"Alder Works, Inc.|Supplier|Supplier|Delaware|12 Elm Street, Suite 4, Boston, MA 02110", "Birch Retail Ltd|Customer|Customer|England"},
	},
	{
		"THIS AGREEMENT is dated 4 May 2020\n\nBETWEEN:\n\n(1) CEDAR HOLDINGS PLC, a company incorporated under the laws of England and Wales (company number 01234567) whose registered office is at 1 High Street, London EC1A 1BB (the \"Seller\"); and\n\n(2) DOGWOOD LIMITED of 2 Low Road, Leeds LS1 2AB (the \"Buyer\").\n\nIT IS AGREED as follows:",
		[]string{"CEDAR HOLDINGS PLC|Seller|Seller|England and Wales|1 High Street, London EC1A 1BB", "DOGWOOD LIMITED|Buyer|Buyer||2 Low Road, Leeds LS1 2AB"},
	},
	{
		`This Agreement is entered into between Elm Bank, N.A. ("Lender") and John Q. Smith, an individual residing at 5 Oak Lane, Dayton, Ohio 45402 ("Borrower").`,
		[]string{"Elm Bank, N.A.|Lender|Lender", "*John Q. Smith|Borrower|Borrower||5 Oak Lane, Dayton, Ohio 45402"},
	},
	{
		`THIS EMPLOYMENT AGREEMENT is made by and between FIR SYSTEMS CORP. (the "Company") and MARIA LOPEZ (the "Executive").`,
		[]string{"FIR SYSTEMS CORP.|Company|Company", "*MARIA LOPEZ|Executive|Executive"},
	},
	{
		`This Agreement is among Gum Tree Partners, L.P., Hazel Capital Management, LLC, and Ironwood Fund II, L.P. (collectively, the "Investors"), and Juniper Bio, Inc. (the "Company").`,
		[]string{"Gum Tree Partners, L.P.", "Hazel Capital Management, LLC", "Ironwood Fund II, L.P.", "Juniper Bio, Inc.|Company|Company"},
	},
	{
		`This License Agreement is made between the Regents of Kauri University, a public university ("University"), and Larch GmbH, a German company having its seat of business at Hauptstr. 5, 10115 Berlin, Germany (hereinafter referred to as "Licensee").`,
		[]string{"Regents of Kauri University|University|University", "Larch GmbH|Licensee|Licensee|Germany|Hauptstr. 5, 10115 Berlin, Germany"},
	},
	{
		`This Agreement is by and between Maple & Sons Trading Co., Ltd., a company organized under the laws of the People's Republic of China ("Maple"), and Nutmeg (USA) Inc., a California corporation ("Nutmeg" or "Distributor").`,
		[]string{"Maple & Sons Trading Co., Ltd.|Maple||People's Republic of China", "Nutmeg (USA) Inc.|Nutmeg|Distributor|California"},
	},
	{
		"Agreement between\n\nOlive Tree Energy, LLC\n\nand\n\nPine Power Corporation\n\ndated as of July 1, 2019",
		[]string{"Olive Tree Energy, LLC", "Pine Power Corporation"},
	},
	{
		`This Agreement is between Quince, Inc., referred to in this Agreement as "Licensor" or "Quince", and Rowan AG, a Swiss corporation, hereinafter called "Rowan".`,
		[]string{"Quince, Inc.|Quince|Licensor", "Rowan AG|Rowan||Switzerland"},
	},
	{
		`THIS LEASE is made between SPRUCE PROPERTIES LP, a Texas limited partnership (hereinafter "Landlord"), and TEAK STORES INC., an Ontario corporation (hereinafter Tenant).`,
		[]string{"SPRUCE PROPERTIES LP|Landlord|Landlord|Texas", "TEAK STORES INC.|Tenant|Tenant|Ontario"},
	},
	{
		`This Agreement is entered into by Umbra S.p.A., a company organized and existing under the laws of Italy, with registered office at Via Roma 1, 20121 Milano, Italy, represented by Mario Rossi ("Umbra"), and Viburnum S.A.R.L. ("Viburnum").`,
		[]string{"Umbra S.p.A.|Umbra||Italy|Via Roma 1, 20121 Milano, Italy", "Viburnum S.A.R.L.|Viburnum"},
	},
	{
		`This Agreement is made between Walnut Corp., a Nevada corporation ("Walnut"), its affiliates, and Yew Inc., a New York corporation ("Yew"). Zelkova Bank LLC is the depositary.`,
		[]string{"Walnut Corp.|Walnut||Nevada", "Yew Inc.|Yew||New York"},
	},
	{
		`This Agreement is by and between Ash Annuity and Life Company ("Insurer") and Bay Health and Hospital Services, Inc. ("Provider").`,
		[]string{"Ash Annuity and Life Company|Insurer|Insurer", "Bay Health and Hospital Services, Inc.|Provider|Provider"},
	},
	{
		`This Agreement between e-clover, Inc. ("Clover") and 2fern.com, Inc. ("Fern") is dated May 1, 2000.`,
		[]string{"e-clover, Inc.|Clover", "2fern.com, Inc.|Fern"},
	},
	{
		`This Agreement is made by and among Grace Hill, M.D. ("Dr. Hill"), Heath Clinic, P.C. ("Clinic") and Iris Medical Group LLC ("Manager").`,
		[]string{"*Grace Hill, M.D.|Dr. Hill", "Heath Clinic, P.C.|Clinic", "Iris Medical Group LLC|Manager|Manager"},
	},
	{
		`This Amendment amends the Agreement dated May 1, 2010 between Jasmine Corporation ("Jasmine") and Kale Foods, Inc. ("Kale").`,
		[]string{"Jasmine Corporation|Jasmine", "Kale Foods, Inc.|Kale"},
	},
	{
		`THIS AGREEMENT is made between Lotus Co. (the Company) and (2) PETER NOVAK (the Consultant).`,
		[]string{"Lotus Co.|Company|Company", "*PETER NOVAK|Consultant|Consultant"},
	},
	{
		"This Agreement is made between MINT NETWORKS, INC., a\n    --------------------\nMassachusetts corporation (\"Mint\"), and NETTLE AB, a Swedish company (\"Nettle\").",
		[]string{"MINT NETWORKS, INC.|Mint||Massachusetts", "NETTLE AB|Nettle||Sweden"},
	},
	{
		`This Agreement is entered into by and between Orchid Bancorp, Inc. of Ohio (the "Holding Company"), the Port of Poppyville ("Port") and QIRA plc, a public limited company registered in Scotland with its registered office at 3 Quay Street, Leith.`,
		[]string{"Orchid Bancorp, Inc. of Ohio|Holding Company|Holding Company", "Port of Poppyville|Port", "QIRA plc|||Scotland|3 Quay Street, Leith"},
	},
	{
		`This Agreement is between Rose Ltd., on the one hand, located at 9 Rue Verte, 75001 Paris, France ("Rose"), and Sage Pte. Ltd. with its principal place of business at 8 Raffles Place, Singapore 048619 ("Sage"), each a "Party" and together the "Parties".`,
		[]string{"Rose Ltd.|Rose|||9 Rue Verte, 75001 Paris, France", "Sage Pte. Ltd.|Sage|||8 Raffles Place, Singapore 048619"},
	},
	{
		"NETWORK AGREEMENT\n\nTable of Contents\n\nDisputes between the Parties 3\n\nThis Agreement is made between Thyme Telecom A/S (\"Thyme\") and Verbena B.V. (\"Verbena\").",
		[]string{"Thyme Telecom A/S|Thyme", "Verbena B.V.|Verbena"},
	},
	{
		"This Agreement is entered into between the following two parties on May 1, 2020 in Beijing:\n\nTulip Media Co., Ltd. (\"Party A\")\n\nUlmus Limited (\"Party B\")",
		[]string{"Tulip Media Co., Ltd.|Party A", "Ulmus Limited|Party B"},
	},
	{
		`BETWEEN: (1) VINE GROUP PLC (registered number 1234) whose registered office is at 1 Sea Road, Hull HU1 1AA (the Company) (2) JANE ROE (the Executive).`,
		[]string{"VINE GROUP PLC|Company|Company||1 Sea Road, Hull HU1 1AA", "*JANE ROE|Executive|Executive"},
	},
	{
		`This Agreement is made between ____________ (hereinafter referred to as "the Company") of the one part and WILLOW HEALTH PTE LTD (WHPL), a company incorporated in Singapore, of the other part.`,
		[]string{"WILLOW HEALTH PTE LTD|WHPL||Singapore"},
	},
	{
		`BETWEEN: XANTHIUM RAILWAY COMPANY ("XRC") – and – [INSERT LEGAL NAME OF SUPPLIER] ("Supplier")`,
		[]string{"XANTHIUM RAILWAY COMPANY|XRC"},
	},
	{
		`This Agreement is by and between Alder Corp. II, a Delaware corporation ("Buyer"), Ada Kern ("Kern") and Birch Ltd. ("Birch").`,
		[]string{"Alder Corp. II|Buyer|Buyer|Delaware", "*Ada Kern|Kern", "Birch Ltd.|Birch"},
	},
	{
		`This Agreement is between Alder Grid, L.L.C. ("Alder") and the Alder Transmission Owner ("Transmission Owner").`,
		[]string{"Alder Grid, L.L.C.|Alder"},
	},
	{
		`This Agreement is between Alder Inc., with offices at 1 Elm Street, Dayton, Ohio, and the individual or entity identified below ("Recipient").`,
		[]string{"Alder Inc.||||1 Elm Street, Dayton, Ohio"},
	},
	{
		`This Agreement is between the Receiving Party named in Annex A ("Recipient") and Alder Inc. ("Discloser").`,
		[]string{"Alder Inc.|Discloser|Discloser"},
	},
	{
		`This Agreement is among the persons and entities listed on Annex A (collectively, the "Investors"), Alder Inc. (the "Company") and Ada Kern (the "Executive").`,
		[]string{"Alder Inc.|Company|Company", "*Ada Kern|Executive|Executive"},
	},
	{
		"NON-DISCLOSURE AGREEMENT\n\n1. Parties\n\n1.1 Alder Platform Pte Ltd, 7 Elm Road (\"AP\"); and\n\n1.2 Birch Chain Co., Ltd., 8 Fir Road (\"BC\").\n\n2. Purpose",
		[]string{"Alder Platform Pte Ltd|AP|||7 Elm Road", "Birch Chain Co., Ltd.|BC|||8 Fir Road"},
	},
	{`This Agreement is between Alder Inc. ("Alder") and Dr. Ada Kern ("Adviser").`, []string{"Alder Inc.|Alder", "*Ada Kern|Adviser|Adviser"}},
	{`This Agreement is between Alder LLC ("Seller") and the Prospective Purchaser.`, []string{"Alder LLC|Seller|Seller"}},
	{`This Agreement is between Alder LLC ("Discloser") and THE RECEIVING PARTY IDENTIFIED IN ANNEX A ("Recipient").`, []string{"Alder LLC|Discloser|Discloser"}},
	{`This Agreement is between the Prospective Purchaser and Alder LLC ("Seller").`, []string{"Alder LLC|Seller|Seller"}},
	{
		`This letter is between Alder Inc. ("Alder") and Birch Co., Ltd. ("Birch"), as an amendment to the Venture Agreement dated May 1, 2019 by and among Cedar AB ("Cedar"), Dogwood Inc. ("Dogwood") and Birch.`,
		[]string{"Alder Inc.|Alder", "Birch Co., Ltd.|Birch"},
	},
	{
		`Sponsorship Agreement Between Birch Society and Alder Inc. This Agreement ("Agreement") is made by and between Alder Inc., an Ohio corporation ("Company"), and the Birch Society, Inc. ("Society").`,
		[]string{"Alder Inc.|Company|Company|Ohio", "Birch Society, Inc.|Society"},
	},
	{
		`This Agreement is between Alder Systemes, a company organized under the laws of France ("Alder Systemes"), and Birch Inc. ("Birch").`,
		[]string{"Alder Systemes|Alder Systemes||France", "Birch Inc.|Birch"},
	},
	{
		`This Agreement is between Alder Bank ("Alder"), a Japanese corporation, and its subsidiary Alder Securities Inc. ("Securities"), and Birch LP ("Birch").`,
		[]string{"Alder Bank|Alder||Japan", "Alder Securities Inc.|Securities", "Birch LP|Birch"},
	},
	{
		`This Agreement is between Alder Inc. ("Alder"), listed on the Birch Market and the Growth Board of The Stock Exchange of Birch Limited, whose office is in Leeds, and Cedar Ltd. ("Cedar").`,
		[]string{"Alder Inc.|Alder", "Cedar Ltd.|Cedar"},
	},
	{
		`This Agreement is between Alder Inc., with offices in the State of Ohio and the State of Texas, a maker of tools ("Alder"), and the State of New York ("State").`,
		[]string{"Alder Inc.|Alder", "State of New York|State"},
	},
	{
		`This Agreement is between Alder First Bank, National Association, a national banking association ("Lender"), and Birch Ltd. ("Borrower").`,
		[]string{"Alder First Bank, National Association|Lender|Lender", "Birch Ltd.|Borrower|Borrower"},
	},
	{
		`This Memorandum is made between the Ministry of Rain and Drainage of the Republic of Alder (the "Ministry"), and the City of Birch, a municipality with its seat at 1 Elm Square, Birch (the "City").`,
		[]string{"Ministry of Rain and Drainage of the Republic of Alder|Ministry", "City of Birch|City"},
	},
	{
		`This Memorandum is made between the Ministry of Rain and Alder Drainage Ltd. (the "Company"), and the City of Birch (the "City").`,
		[]string{"Ministry of Rain", "Alder Drainage Ltd.|Company|Company", "City of Birch|City"},
	},
	{
		"This Agreement is among ALDER RIVER TIMBER AND PAPER COMPANY, an Ohio corporation (the \"Borrower\"), and BIRCH LTD. (the \"Lender\").\n\nALDER RIVER TIMBER AND PAPER COMPANY\n\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: CFO\n",
		[]string{"ALDER RIVER TIMBER AND PAPER COMPANY|Borrower|Borrower|Ohio", "BIRCH LTD.|Lender|Lender"},
	},
	{
		`This Sublicense is made between the Alder Museum, a charity ("Museum"), and North Birch Tide and Current Corporation, a Maine corporation ("Licensee").`,
		[]string{"Alder Museum|Museum", "North Birch Tide and Current Corporation|Licensee|Licensee|Maine"},
	},
	{
		`This Sublicense is made between the Alder Museum, a charity ("Museum"), and Ada Kern and Birch Corporation, a Maine corporation ("Licensee").`,
		[]string{"Alder Museum|Museum", "Ada Kern", "Birch Corporation|Licensee|Licensee|Maine"},
	},
	{
		"This Lease is between Ada Kern and Bo Kern (\"Tenant\") and Alder Ltd. (\"Landlord\").\n\nAda Kern and Bo Kern\n\n________________\nTenant\n",
		[]string{"Ada Kern", "Bo Kern|Tenant|Tenant", "Alder Ltd.|Landlord|Landlord"},
	},
	{
		"Deed of Novation\n\nParties\nAlder Steel Pty Ltd ABN 51 824 753 556 of 9 Elm Road, Alder NSW 2518 (Outgoing Party)\nBirch Frames Pty Limited ABN 83 914 571 673 of 200 Fir Road, Birch NSW 2571 (Incoming Party)\nThe Council of the Shire of Cedar ABN 64 218 333 951 of 41 Oak Street, Cedar NSW 2516 (Council)\n\nOperative provisions",
		[]string{"Alder Steel Pty Ltd|Outgoing Party|||9 Elm Road, Alder NSW 2518", "Birch Frames Pty Limited|Incoming Party|||200 Fir Road, Birch NSW 2571", "The Council of the Shire of Cedar|Council|||41 Oak Street, Cedar NSW 2516"},
	},
	{"Cooperation Agreement of the Alder Power Project and Birch County, a county of Ohio", nil},
	{`This Agreement is made between Yucca Inc. ("Yucca") and the Stockholder.`, []string{"Yucca Inc.|Yucca"}},
	{`Any dispute between the Company and the Consultant under this Agreement shall be settled.`, nil},
	{`The loan agreement between the parties is void.`, nil},
	{``, nil},
}

func TestFind(t *testing.T) {
	for _, c := range preambles {
		d := rulestest.Read(c.text)
		var got []string
		for _, p := range preamble.Find(d) {
			got = append(got, summary(d.Plain(p.Name), p))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestLabelled(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{
			"Cooperation Agreement\n\nParty A: Aster Technology Co., Ltd.\nAddress: Room 5, 12 Garden Road, Beijing\n\nParty B: Begonia Media Inc.\nLegal Representative: Wei Chen\n",
			[]string{"Aster Technology Co., Ltd.|Party A|||Room 5, 12 Garden Road, Beijing", "Begonia Media Inc.|Party B"},
		},
		{"Licensor: Camellia LLC\nLicensee: Dahlia Games Ltd.\nTerm: one year\n", []string{"Camellia LLC||Licensor", "Dahlia Games Ltd.||Licensee"}},
		{"The Seller (the first party): Edelweiss GmbH; Buyer/End-User: Freesia S.A.", []string{"Edelweiss GmbH||Seller", "Freesia S.A.||Buyer/End-User"}},
		{"Franchisor: Alder Pty Ltd\nGuarantor: Ada Anne Kern\nTerm: five years\n", []string{"Alder Pty Ltd||Franchisor", "*Ada Anne Kern||Guarantor"}},
		{"Visitor's employer: Alder Ltd\n", nil},
		{"Seller: Mrs. Alder Bakes, LLC\n", []string{"Mrs. Alder Bakes, LLC||Seller"}},
		{"To: Alder Ltd., Company No. 51-9998, of 12 Elm Street (the \"Company\")\n\nFrom: Birch Inc. (the \"Undersigned\")\n", []string{"Alder Ltd.|Company|Company||12 Elm Street", "Birch Inc.|Undersigned"}},
		{
			"To: Alder Paper Limited and 1234-567 Quebec Inc.\nRe: Sale of assets (the \"Assets\")\n\nFrom: Birch Inc.\n",
			[]string{"Alder Paper Limited", "1234-567 Quebec Inc.", "Birch Inc."},
		},
		{"To: The City of Alder\nAttn: Contracts\nReference: Request 12 (the \"RFP\")\n", []string{"The City of Alder"}},
		{"Party A: Alder Co., Ltd.\nParty B: Birch Ltd.\n\nThe \"Platform\" is the site operated by Party A: Cedar Marketplace.", []string{"Alder Co., Ltd.|Party A", "Birch Ltd.|Party B"}},
		{
			"The Covenanter: Alder Club Inc. (hereinafter referred to as Party A) and the Covenanter: Birch Architects Office (hereinafter referred to as Party B) agree.",
			[]string{"Alder Club Inc.|Party A|Covenanter", "Birch Architects Office|Party B|Covenanter"},
		},
		{"The term is a year.\n\nFor Sponsor:  Ada Kern, an individual\n\nFor the University:  Bo Lund, an individual", nil},
		{"Note: Customer: Fees and Taxes\n\nSeller: TBD", nil},
		{
			"Hosts: Ada Kern and Bo Lund (\"you\")\nFlorist: Camellia & Co. LLC (\"we\", \"us\")\nEvent date: May 2, 2026\n",
			[]string{"Ada Kern||Host", "Bo Lund||Host", "Camellia & Co. LLC|Florist"},
		},
		{"CLINIC: Alder Dental Ltd.\nLOCUM: Dr. Ada Kern, Galway\n\nThe Clinic must provide a room. The Locum will provide care.", []string{"Alder Dental Ltd.|CLINIC", "*Ada Kern|LOCUM"}},
		{"Landlord: Ada Kern\nTenant: Birch Ltd.\n", []string{"Ada Kern||Landlord", "Birch Ltd.||Tenant"}},
		{"ÉDITEUR: Alder Books Ltd.\nAuthor: Birch Ltd.\n\nThe Éditeur will pay a fee.", []string{"Alder Books Ltd.|ÉDITEUR", "Birch Ltd.||Author"}},
		{"Note: Locum: Alder Ltd.\n\nThe Locum will provide care.", nil},
		{"Account Manager: Ada Kern\nBilling: Alder Ltd.\nTenant: Birch Ltd.\n", []string{"Birch Ltd.||Tenant"}},
		{
			" ____________________________________\n| OWNER     Alder Beleggings (Pty) Ltd  Reg 2014/118265/07   |\n|           t/a LockBay, 5 Bright Street       |\n| TENANT    Ada Joan Kern      ID 7905125   |\n\nTENANT   A. J. Kern               for OWNER   Bo Lund\n",
			[]string{"Alder Beleggings (Pty) Ltd||OWNER", "Ada Joan Kern||TENANT"},
		},
		{"We / us            Alder Software Inc., 220 Quay Lane\nYou                Ada Kern, trading as Birch Books\nStart Date         3 June 2021\n", []string{"Alder Software Inc.||||220 Quay Lane", "Ada Kern"}},
		{"Item 1   Franchisor         Alder Franchising Pty Ltd ACN 655 208 417\nItem 2   Guarantor      Ada Anne Kern of 8 Moss St\nItem 3   Premises           Shop 2\n", []string{"Alder Franchising Pty Ltd||Franchisor", "*Ada Anne Kern||Guarantor||8 Moss St"}},
		{"Hirer:      Alderhavn Kommune (the Municipality), CVR 29 18 90 44\nOperator:   Birch A/S\n", []string{"Alderhavn Kommune|Municipality|Municipality", "Birch A/S||Operator"}},
		{"Teacher: Ada Kern, 4 Elm Mews\nParent: Bo Lund, 3 Oak Lane\n", []string{"Ada Kern||Teacher||4 Elm Mews", "Bo Lund||Parent||3 Oak Lane"}},
		{"Owner: Alder House\nHirer: Ada Kern\n", []string{"Alder House||Owner", "Ada Kern||Hirer"}},
		{"| B. PARENTS / GUARDIANS (both to sign)  |\n| 1. Name:  ADA KERN            Tel: 085  |\n| 2. Name:  BO LUND             Tel: 086  |\n+----+\n| C. CHILD  |\n| Name:  OLE KERN LUND  |\n", []string{"ADA KERN||PARENT", "BO LUND||PARENT"}},
		{"CUSTOMER DETAILS\nCompany name: Alder Ltd\nContact name: Ada Kern\n", []string{"Alder Ltd||CUSTOMER"}},
		{"Name of customer: Ada Kern\nHirer's name: Bo Lund\nName:\nPet's name: Oscar Kern\n", []string{"Ada Kern||customer", "Bo Lund||Hirer"}},
		{"Supplier  shall deliver\nSupplier\nCustomer   see below\nBuyer:   TBD\n", nil},
		{"Teacher\nAda Kern\n\nParent or guardian\nBo Lund\n\nPupil\nOle\n", []string{"Ada Kern||Teacher", "Bo Lund||Parent"}},
		{"OWNER\nCompany:    Alder Uvala j.d.o.o.\nName:       Ada Kern (director)\n\nCHARTER GUEST\nCompany:    none\nName:       Bo Lund\n", []string{"Alder Uvala j.d.o.o.||OWNER", "Bo Lund||CHARTER GUEST"}},
		{"\"We\" are Ada Kern, trading as Fern (sole trader). \"You\" are Bo Lund and Cy Moe of 61 Elm Rise.\n", []string{"Ada Kern", "Bo Lund", "Cy Moe||||61 Elm Rise"}},
		{"I, Ada Kern (ID 5107), lend money to my nephew.\n", []string{"Ada Kern"}},
		{"Supervisor: Ada Kern, MA\nSupervisees: Bo Lund and Cy Moe, who see me as a pair\n", []string{"Ada Kern|Supervisor", "Bo Lund|Supervisees", "Cy Moe|Supervisees"}},
		{"FIRST: Alder Lda., NIPC 507 114 882;\nSECOND: Ada Kern, single-owner builder.\n", []string{"Alder Lda.|FIRST", "Ada Kern|SECOND"}},
		{"Buyer: Region Norra Alder (org.nr 232100-9917), Box 84\nSupplier: Birch i Jönåker (org.nr 769644-2185)\n", []string{"Region Norra Alder||Buyer", "Birch i Jönåker||Supplier"}},
		{"Customer:           Stichting Alder Aa\n                    Stationsweg 2, 9481 TE Vries\nSupplier:   Birch B.V.\n", []string{"Stichting Alder Aa||Customer||Stationsweg 2, 9481 TE Vries", "Birch B.V.||Supplier"}},
		{"| 1. Berth provider    | Alder nautika d.o.o.  (the Marina)  |\n| 2. Berth user        | Herr Bo Lund, Wels (AT)   |\n", []string{"Alder nautika d.o.o.|Marina|Berth provider", "*Bo Lund||Berth user"}},
		{"This is an agreement with the practitioner named here:\n\n   Name:            Dr. Ada Kern\n", []string{"*Ada Kern"}},
		{"OWNER OF THE GEAR    Alder Sound Ltd\nBAND                 The Birch Steppers\n\nThe band pays on the night.\n", []string{"Alder Sound Ltd|OWNER OF THE GEAR", "The Birch Steppers|BAND"}},
		{"Server: Alder Inc.\nLandlord: Birch Ltd.\n", []string{"Birch Ltd.||Landlord"}},
		{"Your details\nName:      Ada Kern\nPhone:     0000\n", []string{"Ada Kern"}},
		{"BILL TO          Ada Kern\n                 1180 Palm Terrace\nPHOTOGRAPHER     Bo Lund\n", []string{"Ada Kern", "Bo Lund||PHOTOGRAPHER"}},
		{"Service by:      Ada Kern, technician\nCompany:         Alder Ltd.\n", []string{"Ada Kern", "Alder Ltd.||Company"}},
		{"The landlord is: Alder A/S\nCVR no.: 30000111\n\nThe tenants are: Bo Lund (room 3A)\n\nThe rent is Due Now.", []string{"Alder A/S||landlord", "Bo Lund||tenant"}},
		{"Sponsor: Ada Kern, owner-manager\nClub: Bo Lund, president\n", nil},
		{"Customer: Ada Kern\nSupplier: Alder Ltd.\n\nCustomer   A. Kern\n\nYou        A. Kern\n", []string{"Ada Kern||Customer", "Alder Ltd.||Supplier"}},
		{"Supplier\nCustomer\nAlder Ltd.\n", nil},
		{"no labels", nil},
	} {
		d := rulestest.Read(c.text)
		var got []string
		for _, p := range preamble.Labelled(d) {
			got = append(got, summary(d.Plain(p.Name), p))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestDefined(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{
			`Ladies and Gentlemen: Gardenia Bancorp, Inc., a Maryland corporation (the "Company"), and Hibiscus Savings Bank (the "Bank"), hereby confirm their agreement with Ivy & Co., LLC (the "Agent") as follows. The shares are registered with the Securities and Exchange Commission (the "Commission").`,
			[]string{"Gardenia Bancorp, Inc.|Company|Company|Maryland", "Hibiscus Savings Bank|Bank|Bank", "Ivy & Co., LLC|Agent|Agent"},
		},
		{`In consideration of my employment by Alder, Inc. (the "Company"), I, Ada J. Kern (the "Employee"), agree as follows.`, []string{"Alder, Inc.|Company|Company", "*Ada J. Kern|Employee|Employee"}},
		{`WHEREAS, Alder Group, Inc. (the "Company") and the Birch Trust (the "Trust") made an agreement.`, []string{"Alder Group, Inc.|Company|Company", "Birch Trust|Trust|Trust"}},
		{
			`Know all that Alder Management Company (the "Adviser") does hereby appoint Birch Services Company, a trust organized under the laws of Delaware ("Birch").`,
			[]string{"Alder Management Company|Adviser|Adviser", "Birch Services Company|Birch||Delaware"},
		},
		{`Alder, Inc. (the "Company") offers this Consulting Agreement (this "Agreement") to Ada Kern (the "Consultant").`, []string{"Alder, Inc.|Company|Company", "*Ada Kern|Consultant|Consultant"}},
		{`The Player is a professional on the Alder Golf Association Tour (the "Tour").`, nil},
		{`The fee is $500 (the "Fee").`, nil},
		{`It wishes to receive information from the state and from a Nevada corporation (the "Corporation").`, nil},
	} {
		d := rulestest.Read(c.text)
		var got []string
		for _, p := range preamble.Defined(d) {
			got = append(got, summary(d.Plain(p.Name), p))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestName shows where names end.
func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"Acme Inc. a Delaware corporation":                 "Acme Inc.",
		"VAN ALDER DRANKEN BV, a company":                  "VAN ALDER DRANKEN BV",
		"Alder GmbH & Co. KG, Elmstr. 4":                   "Alder GmbH & Co. KG",
		"ALDER, S.A. DE C.V., a company":                   "ALDER, S.A. DE C.V.",
		"Town of Alder, Massachusetts (\"Owner\")":         "Town of Alder, Massachusetts",
		"ALDER COUNTY, VIRGINIA with offices at":           "ALDER COUNTY, VIRGINIA",
		"City of Alder, Ohio 45402, and":                   "City of Alder",
		"The Corporation of the City of Alder (the":        "The Corporation of the City of Alder",
		"State of New York, acting through":                "State of New York",
		"City of Alder\nAttn: Contracts":                   "City of Alder",
		"Bank of America Corporation\n":                    "Bank of America Corporation",
		"Alder Acquisition Corp. II, a Delaware":           "Alder Acquisition Corp. II",
		"Alder AB (publ), a":                               "Alder AB (publ)",
		"Alder Pipeline Limited Partnership (":             "Alder Pipeline Limited Partnership",
		"Alder Group Limited Liability Company (":          "Alder Group Limited Liability Company",
		"ALDER INSURANCE AND ANNUITY CORPORATION (":        "ALDER INSURANCE AND ANNUITY CORPORATION",
		"Alder, Birch & Cedar, Inc. (the":                  "Alder, Birch & Cedar, Inc.",
		"Alder, Birch, Cedar & Dogwood LLP as":             "Alder, Birch, Cedar & Dogwood LLP",
		"Alder, Birch & Cedar are":                         "Alder",
		"ALDER_ELM MEDIA AG":                               "ALDER_ELM MEDIA AG",
		"Alder Castings Sp. z o.o., ul. Hutnicza 3":        "Alder Castings Sp. z o.o.",
		"Ada Z. Kern, an":                                  "Ada Z. Kern",
		"Alder Elm gUG (haftungsbeschränkt), with":         "Alder Elm gUG (haftungsbeschränkt)",
		"FRUTAS DE ALDER, S.P.R. DE R.L., HEREINAFTER":     "FRUTAS DE ALDER, S.P.R. DE R.L.",
		"INCLUDING THE LIMITED WARRANTY":                   "",
		"Insert Name of Organisation":                      "",
		"Party’s business":                                 "",
		"Catholic Diocese of Dallas, Texas (":              "Catholic Diocese of Dallas",
		"Ada Kern of Dayton, Ohio (":                       "Ada Kern",
		"Ada Kern of 6 Elm Cottages":                       "Ada Kern",
		"Acme, Incorporated, having":                       "Acme, Incorporated",
		"Deutsche Bank Trust Company Americas, not":        "Deutsche Bank Trust Company Americas",
		"THE KEEPER FUND XII (MASTER), L.P.\n\nBy":         "THE KEEPER FUND XII (MASTER), L.P.",
		"Las Vegas, NV 89101":                              "Las Vegas",
		"John Smith and Acme Inc.":                         "John Smith",
		"Mail\n ------- \nRooms Etc. USA, Inc., a":         "Mail\n ------- \nRooms Etc. USA, Inc.",
		"Acme Company. The":                                "Acme Company",
		"the parties":                                      "",
		"Company":                                          "",
		"January 2020":                                     "",
		"":                                                 "",
		"____":                                             "",
		strings.Repeat("Very ", 20) + "Long":               strings.TrimSpace(strings.Repeat("Very ", 16)),
		"Weiß & Söhne GmbH":                                "Weiß & Söhne GmbH",
		"Ünal Anonim Şirketi A.Ş., registered in Istanbul": "Ünal Anonim Şirketi A.Ş.",
	} {
		if got := text[:preamble.Name(text)]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
