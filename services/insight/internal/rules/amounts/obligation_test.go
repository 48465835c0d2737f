package amounts_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// required are sentences that require a payment.
var required = []string{
	"The Customer shall pay the Fees set out in Schedule 2 to the Supplier.",
	"Birch will reimburse Alder for all reasonable travel expenses incurred in the performance of the Services.",
	"The Buyer agrees to pay the purchase price of the Goods to the Seller.",
	"Licensee must remit the royalties to Licensor within thirty (30) days after the end of each calendar quarter.",
	"Tenant shall, on or before the first day of each month, pay the rent to the Landlord.",
	"Distributor undertakes to pay a commission to the Agent on every order that the Agent procures.",
	"The Company is required to pay the Consultant a monthly retainer for the Services.",
	"The Employee's salary shall be paid monthly in arrears.",
	"All invoices are due and payable within 45 days of receipt.",
	"The Licence Fee shall be payable in four equal instalments.",
	"The deposit will be refunded to the Tenant within 14 days after the end of the term.",
	"Any overpayment shall be refunded by Alder promptly after the audit.",
	"Late payments shall bear interest at a rate of 1.5% per month.",
	"Interest on overdue amounts shall accrue at the rate of 8 per cent per annum.",
	"Licensee shall pay Licensor a royalty of 5% of Net Sales.",
	"The Agent is entitled to a commission of 7.5% on the net invoice value of each order.",
	"The Manager shall be entitled to compensation as follows in each year of the term:",
	"Consultant will receive a fee of $2,000 for each report that the Client accepts.",
	"Payments shall be made 30 days from the end of each quarter.",
	"Sponsor shall make a deposit upon execution of this Agreement of €25,000.",
	"The Supplier will invoice the Customer on a monthly basis for the Services at £95 per hour.",
	"The Supplier may charge interest at 4% above the base rate on any late amount.",
	"The Service Provider has the right to charge, on a quarterly basis, a maintenance fee to the Client.",
	"The costs and expenses of the inspection shall be paid by the Licensee.",
	"One-half of the annual fee will be due on or before January 1 and July 1 of each year.",
	"Birch shall repay the excess to Alder within 7 days.",
	"Alder shall compensate Birch for such additional services at the rates in Exhibit D.",
	"The buyer pays the price of the goods against presentation of the shipping documents.",
	"Subsequent installments will be due on a monthly basis thereafter.",
	"In consideration of the licence, Licensee agrees, at its own discretion as to the bank, to pay the licence fee.",
	"If any invoice is not paid when due, the Customer shall pay interest of 1% per month on the balance.",
	"If the review shows an underpayment of more than 5%, Licensee shall reimburse Licensor for the cost of the review.",
	"The Sponsorship Fee shall be USD 4,000,000 during each Contract Year.",
	"The transaction fee for each such sale shall be $15.00 plus $0.12 per share.",
	"Impresse agrees to purchase advertising for at least $50,000 in each calendar quarter.",
	"A development fee in the amount of [***] is payable by Birch on the Effective Date.",
	"The amounts for support are payable quarterly in advance in equal installments.",
	"Upon termination, all unpaid installments shall become immediately due and payable.",
	"Supplier shall reimburse Buyer for all costs of the recall, and shall indemnify Buyer against claims of others.",
	"Fees shall be paid within 30 days of invoice, and are exclusive of taxes, which Licensee bears.",
	"Net 30 days from the date of the invoice, which Alder sends after each milestone.",
	"Each party bears its own costs; provided, however, that Birch shall reimburse Alder for its travel expenses.",
	"Client shall, no later than ten days after acceptance, pay the remaining balance of the price.",
	"The Company shall owe the Contractor a bonus of $10,000 for early completion.",
	"The Buyer shall open an irrevocable letter of credit in favor of the Seller within 30 days after signing for 100% of the price.",
	"If a parcel is lost, the Carrier shall indemnify at the standard rate of EUR 200 per parcel.",
	"Balances that remain unpaid will be subject to a finance charge of 1.0% per month on the outstanding amount.",
	"A one-time $10,000 promotional fee payable to Birch.",
	"If Birch must withhold any tax, Birch must pay to Alder such additional amount that Alder receives the full sum.",
	"Alder will make an investment in the company that owns the mill in the amount of [*], as agreed above.",
	"For goods from the northern mill, the Supplier shall invoice the Customer on the date the goods are loaded.",
	"The minimum royalty for the second and third years of the licence shall be made in four parts payable on May 1st and October 1st.",
	"Upon termination, all royalties shall become immediately due and payable, and no minimum royalties shall be repayable.",
	"Your salary will be USD70,000 per annum, paid monthly in arrears on the last working day.",
	"Delinquent payments are subject to a late payment charge of one percent (1%) from the date of the invoice.",
	"The minimum monthly fee shall not be less than $5,000 per month in any year of the term.",
	"For each account that the Partner opens, the Partner will earn a referral fee that is paid monthly.",
	"Birch shall pay to Alder, as set forth in the registration statement of the Fund, any service fee of the plan.",
	"Late payments shall bear interest at 12% per annum or the maximum amount permitted by law, whichever is less, shall accrue.",
	"The Buyer should pay the Seller the price of the last month before the tenth day of each month.",
	"7.2 To remunerate the Agent on the basis of ten percent (10%) of the net income of the mill.",
	"The Mill shall charge the Customer a storage fee for the goods that it keeps.",
	"Birch shall charge Alder [***] as set forth in Schedule 3.",
	"All additional work will be billed according to the rates that are agreed.",
	"The Customer shall be charged postage at the rates of the carrier.",
	"The price of each batch shall be based on the quantity that is ordered in the year.",
	"Alder has paid to Birch US$ 40,000 in consideration of the supply of seeds.",
	"Additional visits shall be at the discounted price of $300 per day.",
	"The cost of the packaging for each order shall be [***].",
	"The cost of the audit shall be borne by Alder, unless it shows an underpayment of more than 4%.",
	"Birch will charge for any more hours of support in steps of a quarter of an hour.",
	"The yearly fee is $1,500 for a customer with less than fifty machines.",
	"The Speaker shall be entitled to his usual daily appearance fee for each day of the fair.",
	"Alder shall submit a report of the sales of the quarter, together with payment of the sums that are owed.",
	"In the event you fail to send a report in time, you agree to pay us a late fee in the amount of $250.",
	"On the basis of such bills, each Party shall pay to the agency the amount that it owes within ten days.",
	"Birch shall pay the milestone payment by wire transfer to an account that Alder names in writing.",
	"Birch will pay the invoice by check within [***] days after receipt.",
	"Birch shall credit Alder for the difference between both prices.",
	"Licensee shall pay Licensor a licence fee of 50% of all revenues (without deduction for value added tax, if any).",
	"Birch shall reimburse Alder for the expenses (including attorneys' fees) of its help in the matter.",
	"Birch may in its sole discretion charge additional fees for the repair of parts that it did not supply.",
	"The Seller reserves the right to charge a reasonable fee for more training.",
	"A charge of $48 for each day will be assessed for the use of the crane.",
	"The Seller shall return the excess amount to the Buyer after the count of the goods.",
	"The exit fee shall be equal to the remaining value of the machines.",
	"The fees of later projects shall be as agreed by the parties in an order.",
	"Interest shall accrue from the original due date until payment is received in full.",
	"Alder hereby acknowledges receipt of U.S. $3,000 as a first payment for the research.",
	"Each party will pay all undisputed amounts that it owes to the other party within thirty days after the end.",
	"Alder shall bear the extra service fee if it asks for another version of the plan.",
	"The goods will be billed to the Agent at the price of the current list.",
	"Birch will provide the additional services at the hourly rates set forth in Schedule A.",
	"The monthly fee for such additional lines is as follows: each line $200, and each adapter $25.",
	"The Investor shall purchase 1,000 shares of the Company at a purchase price of $7 per share.",
	"Payments to Birch for the support services that the licence identifies as of the first day of the year shall be $3,000.",
	"Licensee shall pay to Licensor a royalty equal to the agreed part of the revenues (without deduction for value added tax).",
	"The Customer has to pay the fees of the additional users as set forth in the appendix.",
	"Reseller shall pay to Birch an Annual Minimum Commitment, payable as follows:",
	"Monthly fee: $38 per branch that uses the service.",
	"Alder shall supervise the construction of the mill in consideration for a payment of $21,000.",
	"The partner shall contribute to the company cash in the amount of $7,000.",
	"All such sums shall be paid to Birch in US dollars not later than *** following the receipt of the invoice.",
	"Licensee shall pay a fee equal to the agreed part of the revenues (without deduction for taxes, as paragraph (b) says).",
	"The parties shall share equally all net revenue from such offers.",
	"Such sum will be the full and agreed liquidated damages for the breach of this Section.",
	"For the venture the following payments will be made by Birch:",
	"$500,000 payable to a company that Birch forms in the north for research and development.",
	"An amount equal to any fee that Birch receives shall be promptly distributed or otherwise paid to the Sponsors.",
	"The Company shall pay you the accrued benefits if your employment ends by your death.",
	"Later payments will be paid by the Licensee within (10) days of receipt of these from third parties.",
	"The total annual amount to be paid for the services that Article 2 of this Agreement describes, and for their supervision, will be: TWO HUNDRED EUROS (200 €)",
	"Birch may terminate the licence of the program and refund the licence fees that were paid for it.",
	"If the program fails, Alder shall be entitled to end the licence and recover the fees that it paid.",
	"Any further training shall be provided at Birch's standard rates for such training.",
	"There shall be a royalty paid on sales at a special price.",
	"Alder will commence payment of a monthly fee for access to the program.",
	"In consideration of the services, the Agent shall receive the excess of the price over the value of the shares.",
	"[****] will be due to Birch on the day of the launch.",
	"Sponsor will make payments to Birch according to the following schedule:",
	"The charge for each person shall be $20.00 per hour of work.",
	"A charge of $17 for each visit shall apply to all visits that exceed the free ones.",
	"If a report is not submitted in time, Birch may, if it so chooses, charge a late fee of $65 to Alder.",
	"An initial one-time licence fee of $35,000.00 (Thirty-Five Thousand Dollars) payable to the club;",
	"All work and labor that the Company asks for shall be billed to the Company, in addition to the fee.",
	"At the end of the year, the Contractor shall remit to the Company the retained monies.",
	"The retainer shall be $5,000 per month for the whole term.",
	"The parties shall share all profits of the venture equally in each year.",
	"The Mill shall remunerate the Agent with $4,000 for each month of work.",
	"The club shall levy $300 on each member for the repair of the roof.",
	"In the event of such requests, the Company shall be responsible for the payment of all reasonable travel, lodging and meal expenses of the Adviser.",
	"Payment terms: 30 days after receipt of invoice",
	"All monthly statements are due within 30 days of receipt.",
	"All invoices that accompany the reports are due within 30 days of receipt.",
	"Amounts shown in the quarterly reports are due within 30 days of receipt.",
	"All charges for labor and material will be borne by the Company within sixty days of the complaint.",
	"Birch shall promptly bear the full cost of the storage of the samples and records of the project.",
	"Prices for the goods will be as set forth on the price list.",
	"The cost of preparing the statement shall be borne by Birch.",
	"Birch agrees to sell, and Alder agrees to purchase, the goods at the prices of the current list.",
	"Training will be available to the Reseller at a rate of 25% off of the list price.",
	"The fee for each new policy is set forth in Schedule B.",
	"The commission will be reduced on a sliding scale according to the following formula:",
	"If the mill stops, Alder may end this Agreement and receive a refund of all prepaid fees.",
	"Both parties share the expenses of the application for the award.",
	"The Investor's contribution to the capital of the mill shall be US$500,000 in cash.",
	"In such an event, Alder shall be responsible for payment of all undisputed amounts that it owes.",
	"Alder shall pay for the removal of its sign from the stadium.",
	"Any additional documents that Alder requests are chargeable by Birch.",
	"The hourly rate that the schedule specifies to be payable to Birch per annum is listed in the table.",
	"Any unused part of the fee shall be credited against the fee of the next year.",
	"Pricing for the second mill will be as set forth in the second order.",
	"Sample units will be invoiced to Birch at a price of $5 each.",
	"The distance rates will apply to the route that the carrier takes.",
	"The rate to apply will be 80% of the rate for full loads.",
	"Detention charges for the trailer will be assessed as item 5 provides.",
	"The backup can be restored for an additional charge.",
	"Travel on weekends is subject to an extra fee.",
	"An allowance of three cents (3 cents) per running mile will be made for trailers of the shipper.",
	"There will be a charge on each cluster that uses more than its share.",
	"Shipments under this item must be prepaid.",
	"The terms are net cash on delivery of the goods.",
	"Birch shall give reasonable help, subject to reimbursement of its travel by Alder.",
	"Birch will train the staff of Alder at Birch's standard rates.",
	"Consulting will be given at the Birch's then current rates, on request.",
	"The parties will split the fees of the appraiser.",
	"The cost of the filings shall be shared equally by both parties.",
	"Any costs of such a recall will be the sole responsibility of the Sponsor.",
	"The purchase price of the mill shall be paid to the account of Birch.",
	"The price of $500 shall be paid to Birch at its address within ten days.",
	"The cost of the filings of both parties will be split evenly.",
	"Alder shall continue to make payments for the licences that survive.",
	"In that case, Alder may demand Birch to pay the liquidated damages of RMB50,000.",
}

// notRequired are sentences about payments that require none under the contract.
var notRequired = []string{
	`"Fees" means the fees that the Customer pays for the Services under this Agreement.`,
	`"Royalty Payment" shall mean any payment that is due under Section 4 of this Agreement.`,
	"The Customer shall not be required to pay any fees for the trial period.",
	"No commission shall be paid if the order is cancelled before shipment.",
	"Airspan will pay no commissions under this Agreement.",
	"No costs incurred in the manufacture of the Products shall be deducted from any royalty.",
	"Producer acknowledges that it will receive no compensation for the rights granted herein.",
	"In no event shall Birch pay more than the total fees under this Agreement.",
	"Supplier shall maintain commercial general liability insurance of at least $1,000,000 at its own cost.",
	"Birch shall indemnify Alder and pay all damages that are awarded against it.",
	"The prevailing party shall be paid its costs of the arbitration by the other party.",
	"Licensee shall pay all taxes and duties on the import of the Products.",
	"Any withholding taxes shall be paid to the proper authority.",
	"Buyer is responsible for and shall pay all applicable sales, use, occupational, excise, value added or other similar taxes on the sale of the products.",
	"The first sales plan will be presented within three months, and annual sales plans will be due on November 30 of each year.",
	"The Provider shall be solely responsible for the payment of all wages, benefits and expenses of its employees.",
	"Each party shall bear its own expenses in connection with this Agreement.",
	"Either party may terminate this Agreement if the other fails to pay an amount when due.",
	"If any invoice is not paid within 30 days, the Supplier may suspend the Services.",
	"The Supplier may, at its option, pay the charges of the carrier.",
	"The Customer has the option to pay the licence fee in advance.",
	"Termination does not affect the obligation to pay sums that are owing.",
	"The parties shall pay attention to the safety rules of the site at all times.",
	"This Agreement has been duly authorized, and due diligence has been performed by Buyer.",
	"The delay is due to causes beyond the reasonable control of the Supplier.",
	"The shares shall be validly issued, fully paid and nonassessable.",
	"Licensor hereby grants to Licensee a royalty-free, fully paid licence under the Patents.",
	"All amounts under this Agreement shall be paid in U.S. dollars by wire transfer to the account of Birch.",
	"All notices and invoices must be sent to the address in Section 12.",
	"For example, if sales are $100, Licensee shall pay a royalty of $5.",
	"Licensor shall make all payments to any union or guild for the services of the performers.",
	"The Contractor shall pay its employees and subcontractors in accordance with the law.",
	"Alder will provide the samples to Birch at no charge and at Alder's cost.",
	"Client will retain all right, title and interest in and to its trademarks.",
	"The Lender agrees to advance the sum of $10,000 to the Borrower.",
	"Licensee shall keep records of all royalties, and statements at the time commissions are paid.",
	"Supplier shall compensate Buyer for any loss that results from the delay.",
	"If there is no patent in a country, the royalty in Section 4 will be reduced by 50% for that country.",
	"The maximum royalty in this table includes an initial rate of 3% for each unit that is sold.",
	"The royalty for each unit will be due only once, on the first sale of the unit by Birch.",
	"Operator shall promptly pay all direct costs of the mill as they become due, without reimbursement by Owner.",
	"Birch shall be responsible for one hundred percent (100%) of all costs that the development incurs.",
	"Alder will withhold the tax from the amount due, and remit it to the appropriate tax authority within ten days.",
	"There are no fees or charges that are required to be paid by Birch within 30 days of this Agreement.",
	"Customer relies on no statement about the charges to be paid or the results of the services within 30 days.",
	"All notices and payments will be made to the addresses below within ten days.",
	"Customer will pay or provide appropriate exemption documents for all taxes, duties and other fees of the state.",
	"The royalty will be converted to euros at the rate that the bank posts on the date of this Agreement.",
	"Active Clients shall mean the clients of Birch that use the services and pay a fee of $20 per month.",
	"For example, if Birch employs ten people, it shall be paid the costs of one more within ten days.",
	"You shall pay all costs and expenses incurred by us in the enforcement of this Section.",
	"The fees of such counsel shall be paid by the Indemnified Party.",
	"The Carrier shall pay, decline to pay, or settle each written claim within 60 days after its receipt.",
	"Where sales are in another currency, the Agent will pay the Principal its share in such currency.",
	"All labels must include the mark of the owner within the credit notice of the product.",
	"The benefits of both shall be in the proportion that their proceeds bear to the total fee.",
	"Distributor waives any rights it may have to receive any compensation at the end of this Agreement.",
	"Reseller shall generate at least the following amount of new sales of the goods in each year.",
	"Any taxes shall be charged in accordance with the rules in force, and shall be paid by Birch.",
	"Any sales taxes or similar duties required to be paid in connection with the transfer shall be paid by Alder.",
	"'P' shall mean the price that Birch shall pay for the goods under this Agreement.",
	"Party B shall be responsible for all of Party A's loss and the relevant liquidated damages in case of theft.",
	"The parties shall meet to agree on benefits to be provided to compensate for lost seats.",
	"Should the Buyer pay the price late, the Seller may suspend the delivery of the goods.",
	"Birch may terminate this Agreement if Alder ceases to pay its debts, and its obligations as they become due.",
	"WHEREAS, Birch shall pay 11% of the costs of the well as set out below, and in return receives an interest in it;",
	"The Sponsor shall receive ***, at its choice, of the merchandise of the club.",
	"Birch may charge no additional fee for the training of the staff of Alder.",
	"Birch shall charge Alder no fee for the training of its staff in the first year.",
	"Neither party may charge the other a fee for the exchange of such information.",
	"Birch shall not have the right to charge any fee for the training of the staff.",
	"The parties shall not share any net revenue under this Agreement.",
	"Such sum will not be considered liquidated damages for the breach of this Section.",
	"Alder shall ensure that no agent will pay or offer anything of value to an official within 30 days of an award.",
	"At Birch's expense, Birch shall keep the machines of the mill in good order.",
	"Alder shall seek a protective order at Birch's expense before it discloses the secret.",
	"Birch shall control all such suits and bear all expenses of the suits.",
	"The Buyer will immediately return, at the cost of the Seller, the samples of the goods.",
	"The photographs shall be retouched at the expense of Alder, and kept in the archive.",
	"Failure to pay the fee in time is a breach of this Agreement.",
	"As an example, the fee for the first mill would be $40,000, which Alder shall pay in May.",
	"By way of illustration, Alder shall pay a fee of $5 for 10 units.",
	"Sample monthly calculation: Alder shall pay a fee of $5 for 10 units.",
	"Birch agrees to bear the legal expenses of such an action by others.",
	"Alder shall also pay any court costs and other charges of collecting what it owes.",
	"The expenses of the committee shall be borne by the party incurring them.",
	"All information on costs of the mill and on its plans shall be shared with Birch.",
	"All sums due under this contract are payable at the offices of the carrier in Houston.",
}

// TestRequired shows which sentences require a payment, whoever pays and whatever is left
// open.
func TestRequired(t *testing.T) {
	for _, text := range required {
		d := rulestest.Read(text + "\n")
		got := amounts.Payments(d, amounts.Rates{}, nil)
		rulestest.Sane(t, d, got)
		if len(got) == 0 {
			t.Errorf("%q: got no payment, want one", text)
		}
		for _, f := range got {
			if f.Item.PaymentValue == "" || f.Item.PaymentLabel == "" || f.Item.PaymentType == "" {
				t.Errorf("%q: got %+v, want a value, a label and a type", text, f.Item)
			}
		}
	}
}

// TestNotRequired shows that denials, definitions, choices, and payments outside the contract
// are no payments.
func TestNotRequired(t *testing.T) {
	for _, text := range notRequired {
		if got := amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil); len(got) > 0 {
			t.Errorf("%q: got %+v, want no payment", text, got[0].Item)
		}
	}
}

// TestPaymentValues shows what a payment without an amount of money is worth: a percentage
// that is no threshold, when it is due, or what is paid.
func TestPaymentValues(t *testing.T) {
	for text, want := range map[string][2]string{
		"Licensee shall pay Licensor a royalty of 5% of Net Sales, within 30 days of each quarter.":                          {"5%", "Royalty, within 30 days of each quarter"},
		"If the audit shows an underpayment of more than 5%, Licensee shall reimburse the reasonable cost of the audit.":     {"reasonable cost", "Reasonable cost"},
		"If costs exceed $500, the Client shall reimburse Birch for the additional expenses of the project.":                 {"additional expenses", "Additional expenses"},
		"Birch will reimburse Alder for all reasonable travel expenses incurred in the performance of the Services.":         {"reasonable travel expenses", "Reasonable travel expenses"},
		"The Service Fee of the last quarter shall be paid within five business days after the beginning of the next one.":   {"within five business days after the beginning of the next one", "Payment is due within five business days after the beginning of the next one"},
		"The Supplier will invoice the Customer for the maintenance of the machines on a quarterly basis.":                   {"on a quarterly basis", "Payment is due on a quarterly basis"},
		"The Agent's fees are paid quarterly, and shall be paid by the Principal to the account of the Agent.":               {"quarterly", "Payment is due quarterly"},
		"Past due sums shall bear interest at the rate of one and one half percent (1 1/2%) per month.":                      {"1 1/2%", "Past due sums, per month"},
		"The Company will compensate the Agent quarterly with an additional two (2) percent commission.":                     {"two (2) percent", "Commission"},
		"Upon termination of this Agreement, all sums that are owed to Birch shall become due and payable.":                  {"Upon termination", "Payment is due upon termination"},
		"Distributor shall pay a deposit of at least Twenty-Five Percent (25%) of the total order price.":                    {"25%", "Deposit"},
		"Client shall pay not less than 20% of the price of each order to the Supplier before the goods are shipped to him.": {"20%", "Price"},
	} {
		got := amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil)
		if len(got) != 1 || got[0].Item.PaymentValue != want[0] || got[0].Item.PaymentLabel != want[1] || got[0].Item.PaymentValueNumber != nil {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}

// TestPaymentAmounts shows which amounts of a sentence are paid, and which are only what a
// percentage is taken of.
func TestPaymentAmounts(t *testing.T) {
	for text, want := range map[string][]string{
		"Birch shall pay Alder 82.5% of the first $500,000 of the revenue of each month.":        {"82.5%"},
		"The Fund shall pay a fee of 0.65% of its average daily net assets up to $25 million.":   {"0.65%"},
		"The monthly fee shall not be less than five thousand dollars ($5,000) per month.":       {"five thousand dollars ($5,000"},
		"Alder agrees to pay upon formation (as defined below) $3,000,000 to the company.":       {"$3,000,000"},
		"Alder shall contribute cash in an amount equal to at least $21,614,000 to the company.": {"$21,614,000"},
		"Alder shall pay $500 and 15% of the price to Birch.":                                    {"$500", "15%"},
		"Alder shall pay $500 and 1.5% of the price to Birch.":                                   {"$500", "1.5%"},
		"If sales are at least $1,000,000, Alder shall pay $50 to Birch.":                        {"$50"},
		"For annual sales of at least $9,000, Alder shall pay $50 to Birch.":                     {"$50"},
		"If sales are below $500, Alder shall pay $50 to Birch.":                                 {"$50"},
	} {
		var values []string
		for _, f := range amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil) {
			values = append(values, f.Item.PaymentValue)
		}
		if !slices.Equal(values, want) {
			t.Errorf("%q: got %q, want %q", text, values, want)
		}
	}
}

// TestListedPayments shows that the items of a list of payments are payments, and that the
// list ends with the first sentence that is no item.
func TestListedPayments(t *testing.T) {
	const text = "Birch shall pay Alder the following fees:\n\n(a) $5,000 for the first release;\n\n(b) 3% of Net Sales;\n\n(c) 4.000 EUR per mill;\n\n(d) XXXXXXXX per unit of sales;\n\nThis Agreement is in English.\n\nThe value of the stock is $70,000 today.\n"
	var values []string
	for _, f := range amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil) {
		values = append(values, f.Item.PaymentValue)
	}
	if len(values) != 5 || !slices.Equal(values[1:4], []string{"$5,000", "3%", "4.000 EUR"}) {
		t.Errorf("got %q, want what is announced, $5,000, 3%%, 4.000 EUR and what is left out", values)
	}
}

// TestTiers shows that the rate of a range of amounts is paid, and not the amounts.
func TestTiers(t *testing.T) {
	for row, want := range map[string][]string{
		"$0 - $25,000,000 1.75%":                          {"1.75%"},
		">$50,000,000 2.50%":                              {"2.50%"},
		"Over €2 million and more: 12 %":                  {"12 %"},
		"From US$1,000 to US$5,000 | 3 percent":           {"3 percent"},
		"First $10m at 4%":                                {"4%"},
		"$0 to $5m 2% >$5m 3% <$9m 4 %":                   {"2%", "3%", "4 %"},
		"$5,000 and 3% of Net Sales":                      {"$5,000", "3%"},
		"$5,000 on signing, $6,000 on delivery at 5% off": {"$5,000", "$6,000"},
	} {
		text := "Birch shall pay Alder the following royalties on annual net sales:\n\n" + row + "\n"
		var values []string
		for _, f := range amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil)[1:] {
			values = append(values, f.Item.PaymentValue)
		}
		if !slices.Equal(values, want) {
			t.Errorf("%s: got %q, want %q", row, values, want)
		}
	}
	const joined = "Alder shall pay the following royalties on annual net sales: $0 - $25,000,000 1.75%\n\n>$25,000,000 2.50%\n"
	var values []string
	for _, f := range amounts.Payments(rulestest.Read(joined), amounts.Rates{}, nil) {
		values = append(values, f.Item.PaymentValue)
	}
	if !slices.Equal(values, []string{"1.75%", "2.50%"}) {
		t.Errorf("got %q, want both rates", values)
	}
}

// TestNumberedPayments shows that the numbers of the items do not end a list of payments.
func TestNumberedPayments(t *testing.T) {
	const text = "Birch shall pay the fees to Alder as follows:\n\n6.2.1. $*** on the day of this Agreement;\n\n6.2.2. $*** within 90 days after the launch;\n"
	if got := amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil); len(got) != 3 {
		t.Errorf("got %+v, want what is announced and both items", got)
	}
}

// TestListedTotals shows that the sum of a list of payments is not another payment.
func TestListedTotals(t *testing.T) {
	const text = "Birch shall pay Alder the following fees:\n\nLicence fees $5,000\n\nMaintenance fees $900\n\nTotal fees $5,900\n"
	if got := amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil); len(got) != 3 {
		t.Errorf("got %+v, want what is announced and both fees", got)
	}
}

// TestHiddenPayments shows that the items of a list are payments if their amounts are left
// out, but notes on that are none.
func TestHiddenPayments(t *testing.T) {
	const text = "Birch shall pay Alder milestone payments as follows.\n\n(a) [***] upon the first sale of a unit;\n\n(b) $[***] for the second release;\n\n[***] = Certain confidential information in this document was omitted.\n"
	if got := amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil); len(got) != 3 {
		t.Errorf("got %+v, want what is announced and both items", got)
	}
}

// TestTitledPayments shows that the rows of a table are payments after a title that names prices,
// and that a sentence ends the table.
func TestTitledPayments(t *testing.T) {
	const text = "SCHEDULE OF FEES\n\nConsultation, for each hour $100.00\n\nProgramming, for each hour $185.00\n\nThis Agreement is in English.\n\nThe value of the stock is $70,000 today.\n"
	var values []string
	for _, f := range amounts.Payments(rulestest.Read(text), amounts.Rates{}, nil) {
		values = append(values, f.Item.PaymentValue)
	}
	if want := []string{"$100.00", "$185.00"}; !slices.Equal(values, want) {
		t.Errorf("got %q, want %q", values, want)
	}
}
