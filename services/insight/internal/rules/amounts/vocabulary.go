package amounts

import "strings"

// role is what a word does in a sentence about a payment.
type role int

const (
	// pays is a verb in the active voice, bears one that also needs a cost as its object.
	pays role = iota + 1
	bears
	// buys needs an amount as its object.
	buys
	// gives is also a noun, or a verb for things. It needs a sum as its object.
	gives
	// charges is a verb for what somebody else pays.
	charges
	// isPaid is a participle and isDue an adjective. isCharged needs a cost as its subject.
	isPaid
	isDue
	isCharged
	// paysNow is a verb in the present tense: "the buyer pays".
	paysNow
	// makes needs a payment as its object, and made one as its subject.
	makes
	made
	// receives needs a payment as its object.
	receives
	// answers is followed by the costs that somebody is responsible for.
	answers
)

// roles are the words that can state a payment.
var roles = map[string]role{
	"pay": pays, "repay": pays, "prepay": pays, "reimburse": pays, "remit": pays, "refund": pays, "owe": pays, "tender": bears, "return": gives, "donate": bears, "credit": gives, "spend": bears,
	"compensate": pays, "remunerate": pays, "bear": bears, "cover": bears, "assume": bears, "fund": bears, "absorb": bears,
	"purchase": buys, "buy": buys, "subscribe": buys,
	"invoice": charges, "charge": charges, "bill": charges, "assess": charges, "levy": charges,
	"paid": isPaid, "repaid": isPaid, "reimbursed": isPaid, "remitted": isPaid, "refunded": isPaid, "invoiced": isPaid,
	"payable": isDue, "due": isDue, "refundable": isDue, "reimbursable": isDue,
	"charged": isCharged, "billed": isCharged, "assessed": isCharged, "levied": isCharged, "borne": isCharged, "credited": isCharged, "distributed": isCharged, "returned": isCharged, "compensated": isCharged,
	"pays": paysNow, "remits": paysNow, "reimburses": paysNow, "bears": paysNow,
	"make": makes, "provide": makes, "furnish": makes, "submit": makes, "transfer": makes, "contribute": makes, "deposit": makes,
	"made": made, "accrue": made, "accrues": made,
	"receive": receives, "recover": receives, "entitled": receives, "earn": receives,
	"responsible": answers, "liable": answers,
}

// costs are what is paid.
var costs = wordSet(`amount amounts balance bonus charge charges commission commissions compensation consideration cost costs deposit deposits ` +
	`dollars expenditures expense expenses fee fees funding funds installment installments instalment instalments interest investment payment payments payout penalty ` +
	`percent portion price prices rate reimbursement reimbursements remuneration rent rents retainer royalties royalty salary share shortfall sum sums surcharge surcharges ` +
	`wages freight postage excess overpayment underpayment refund difference commitment contribution contributions minimum money monies moneys`)

// expenses are the costs of one party that another reimburses.
var expenses = wordSet(`expense expenses`)

// owed are sums that another party is owed.
var owed = wordSet(`amount amounts sum sums charges`)

// wages are payments of an employer.
var wages = wordSet(`pay benefit benefits severance allowance pension`)

// transfers are what is made or transferred to pay.
var transfers = wordSet(`payment payments deposit deposits reimbursement reimbursements refund refunds investment contribution balance installment installments funds cash fee fees royalty royalties prepayment downpayment`)

// given are the objects of "return" and "credit" that are sums.
var given = wordSet(`amount amounts balance deposit deposits excess payment payments overpayment sum sums fee fees compensation funds difference money`)

// rewards are what somebody is paid.
var rewards = wordSet(`fee fees commission commissions compensation royalty royalties salary remuneration reimbursement retainer bonus rent refund amount payment payments excess difference balance`)

// moments begin a phrase that says when or how something is payable.
var moments = wordSet(`within upon on in at by quarterly monthly annually as net not no promptly immediately prior over`)

// omitted is an amount that is left out.
var omitted = wordSet(missing)

// measures begin a phrase that says how much is charged.
var measures = wordSet(`at according per by as on the $`)

// generic are words for anything that is paid under the contract.
var generic = wordSet(`payment payments sums amounts hereunder agreement`)

// papers are due on a date, but are not paid. bills are both.
var (
	papers = wordSet(`plan plans report reports notice notices forecast forecasts response responses deliverable deliverables document documents`)
	bills  = wordSet(`invoice invoices bill bills`)
)

// goods are what somebody pays for, or by which a sum is determined.
var goods = wordSet(`goods products product services work deliverables equipment materials units premium premiums following accordance revenue revenues`)

var (
	// modals oblige somebody, permits do not. options leave the verb after "to" to somebody's
	// choice, or mention an obligation without stating it.
	modals  = wordSet(`shall will must agrees agree agreed undertakes undertake covenants covenant promises promise warrants hereby obligated obliged required require requires bound`)
	permits = wordSet(`may can could might would should cannot did does do`)
	options = wordSet(`if fail fails failed failure refuse refuses right rights option ability elect elects obligation obligations unable able until responsibility`)
	denials = wordSet(`not never neither nor without cannot no`)
	// nobody contains the denials that a subject begins with, as in "neither party may".
	nobody = wordSet(`neither nor`)
	// conditions and dependOn begin clauses that state nothing by themselves. limits follow a
	// "no" that denies nothing, and notDueOf a "due" that means something else than payable.
	conditions = wordSet(`if when whenever until whether extent once should than date prior before`)
	limits     = wordSet(`later less more fewer earlier event`)
	dependOn   = wordSet(`if date prior when whenever where unless until that which who whom whose after before once than extent whether because since while provided event case as should otherwise`)
	notDueOf   = wordSet(`to diligence authorization execution authority care regard course notice consideration process date dates organization incorporation inquiry observance performance under`)
)

// wordSet returns the words of a list that spaces separate.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
