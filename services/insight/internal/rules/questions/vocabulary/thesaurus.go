package vocabulary

import "strings"

// groups are words of contracts that mean about the same, one group on a line. A word may
// be in several groups. The list is general: it follows what contracts of all kinds write
// for the everyday words of questions.
const groups = `
share disclose reveal divulge communicate disseminate release transmit publish furnish convey distribute circulate
disclosure dissemination publication communication
give provide furnish supply grant deliver
receive obtain acquire get gain procure
recipient receiver receiving
discloser disclosing
return surrender redeliver
destroy erase delete shred dispose
retain keep preserve archive hold store
copy reproduce duplicate replicate photocopy
copies reproductions duplicates extracts summaries
third other another outside anyone others
person people individual entity company organization body
employee personnel staff worker officer director
representative agent advisor adviser consultant contractor subcontractor attorney accountant counsel lawyer professional
affiliate subsidiary parent
solicit recruit hire employ poach entice induce engage
customer client buyer purchaser
seller vendor supplier provider
tenant lessee renter occupier
landlord lessor
lender creditor bank
borrower debtor
licensee user
terminate end cancel rescind cease
termination end expiry expiration conclusion cancellation completion
expire end lapse
survive continue remain persist outlast
start begin commence
renew extend prolong
verbal oral spoken orally
written writing document documentary
tangible physical
notify inform notice advise tell
law statute regulation legal legislation rule governmental
court judicial tribunal subpoena judge order proceeding
require compel oblige mandate force
required necessary obliged compelled
request demand ask
allow permit entitle authorize let
forbid prohibit ban restrict prevent preclude
consent approval permission authorization
independent separate
similar same identical comparable like equivalent
develop create design invent conceive
invention creation discovery
technical technological scientific engineering
commercial business financial marketing
confidential secret proprietary private
identify mark label designate specify legend
express explicit clear conspicuous
describe define mean
include comprise contain encompass cover
exclude except omit
purpose aim objective goal
use utilize exploit apply
license grant permission
right title interest ownership property
own belong property title
reverse decompile disassemble dismantle deconstruct
modify amend change alter vary adapt
negotiate discuss talk
negotiation discussion talks
existence fact exist
assign transfer delegate novate
sublet sublease underlet
sell resell market distribute
buy purchase acquire order
pay remit reimburse settle compensate
payment remittance compensation consideration
fee charge price cost rate
salary wage remuneration compensation pay
expense cost outlay disbursement
tax duty levy vat
deposit security bond
refund reimburse repay
late overdue delay past
invoice bill statement
deliver ship dispatch supply
goods product merchandise item article
service work performance
perform fulfil carry execute
repair maintain fix remedy
clean tidy
premises property building unit site
enter access visit
vacate leave quit
defect fault flaw nonconformity
warranty guarantee
warrant guarantee represent
liable responsible accountable
liability responsibility
indemnify harmless reimburse defend compensate
loss damage harm injury
breach violate default infringe contravene fail
violation breach default infringement
remedy relief injunction
dispute disagreement controversy claim conflict
arbitration mediation arbitrator
insure insurance coverage policy
compete rival competitor competitive
exclusive sole only
audit inspect examine review
record book account file
limit cap maximum ceiling restrict
minimum least
sign execute
void invalid unenforceable ineffective
waive relinquish forgo
bankrupt insolvent insolvency bankruptcy
disaster majeure
data information material
privacy personal
annual year yearly
month monthly
week weekly
prompt immediate forthwith
obligation duty commitment covenant undertaking responsibility
vacation holiday leave
dismiss terminate fire
resign quit leave
logo trademark brand
announce announcement publicity press
advertise promote market
`

// synonymsOf returns the stems of the words that mean about the same as each stem.
func synonymsOf(list string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(list) {
		words := Terms(line)
		for _, w := range words {
			for _, other := range words {
				if other != w {
					all[w] = append(all[w], other)
				}
			}
		}
	}
	return all
}

// synonyms maps a stem to the stems of words that mean about the same.
var synonyms = synonymsOf(groups)

// Synonyms returns the stems of words that mean about the same in contracts as a stem. The caller
// must not change the result.
func Synonyms(stem string) []string { return synonyms[stem] }
