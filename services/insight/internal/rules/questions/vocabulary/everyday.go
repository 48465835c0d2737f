package vocabulary

import "strings"

// everyday are the words of questions and, after the equals sign, what contracts write for
// them. A word stands for all of those, but those do not stand for one another. A phrase of
// several words counts as one; an asterisk in it stands for up to three words.
const everyday = `
walk away, get out, getting out, got out, pull out, pulls out, back out, bail out, opt out, drop out, move out, part ways, parting ways, call off, call * off, break off, let * go, get rid of, stop using, stop working, give up, wind up, change * mind, change * minds, changed * mind, changed * minds, step away, back down = terminate termination cancel withdraw determine rescind revoke resign end cease exit convenience leave vacate close dismiss
quit, leave, leaves, leaving, exit, drop, stop, end, cancel, terminate = terminate termination cancel withdraw determine rescind resign end cease expiry revoke
fire, fired, dismiss, dismissed, sack, kick out, thrown out = terminate dismiss termination remove employment evict
no reason, good reason, without * reason, any reason, just because = convenience cause reason reasons
run out, runs out, ran out, come to an end, comes to an end, be over, is over, are over, finish, finished, finishes, done, lapse = expire expiry expiration end terminate termination lapse until through completion
last, lasts, run, runs, valid, good for, stay open, stays open = term period continue remain force effect until last duration endure subsist open valid
roll over, rolls over, carry on, keep going, go on, stay on, continue, continuing, extend, extended, extending, extension, prolong, renew, renewed, another year, extra year, extra years, another * years, sign up again, for longer, more time = renew renewal extend extension prolong further additional continue rollover successive holdover re-enrolment
go up, goes up, going up, put * up, puts * up, put up, rise, rises, raise, raised, increase, increases, climb, hike, inflation, more expensive = increase raise rise adjust adjustment escalate escalation index indexation revise revision uplift cpi inflation exceed
go down, goes down, come down, shrink, shrinks, reduce, fall, drop, cut back, scale back = reduce reduction decrease lower fall fewer minimum
tell, warn, warned, inform, informed, let * know, hear, hear about, hear of, alert, announce, speak up, report, reported, told, pass along = notify notice notification inform tell report announce advise disclose forward
warning, heads-up, far ahead, far in advance, notice, advance warning = notice prior advance before beforehand warning
say no, opt out, object, contest, challenge = object objection notice decline opt reject refuse dispute
owe, cost, costs, charge, charged, charges, pay, paid, price, priced, rate, fee, expensive, bill, worth = pay payable payment price fee charge rate cost sum amount bill invoice compensation compensate total
total, altogether, overall, all-in, in all, whole = total aggregate sum whole entire all
late, delay, delayed, delays, miss, missed, overdue, drags on, behind = late delay overdue arrears unpaid default past delayed fail outstanding
penalty, fine, take off, deduct, dock, punished = damages deduct penalty liquidated credit deduction charge
surcharge, late fee, late charge = surcharge charge late
money back, get * back, gets * back, give back, given back, give * back, paid back, refund, refunded, reimburse, get back, returned, return = refund refundable return repay reimburse release credit rebate surrender
deposit, down payment, downpayment, upfront, up front, put down, put * down, advance, bond, lodge = deposit advance initial retainer bond prepayment upfront trust execution
discount, save, saving, savings, knocked off, money off, off list, cheaper, rebate = discount rebate reduction less credit save
held back, hold back, keep back, set aside, retention = retain retention withhold hold holdback reserve escrow balance
commit, committed, on the hook, promised, promise, obliged to buy, guaranteed = minimum commit commitment undertake guarantee assurance least fewer warrant
at least, least, minimum, very least, at minimum = minimum least fewer less
at most, most, maximum, highest, ceiling, limit, without limit, cap, capped, largest = maximum exceed cap limit ceiling more aggregate
buy, buying, take, order, purchase = buy purchase order take call
sell, sold, selling = sell sale resell market distribute dispose
own, owns, owned, belong, belongs, whose = own property title belong vest ownership assign copyright reserved remain stay
rights, copyright = rights copyright intellectual reserved property title
hand, hand over, hand * to, hand * over, hands, pass on, pass * on, pass * to, somebody else, someone else, sister company, third company, outsource, farm out, transfer, assign = assign assignment transfer sublet subcontract sublicense delegate novate cede share convey subcontractor
let out, let * out, rent out, sublet, lend = sublet underlet sublease charter part possession share
sold, is sold, new owner, takes us over, take over, taken over, takeover, buys, buy us, buys us, bought, buys * shares, acquired, acquires, merge, merges, sell out, change hands, majority = control shares ownership majority assignment stock voting change acquire transfer votes sale purchaser
sue, sued, suing, lawsuit, lawsuits, take * to court, court case, litigation, hear a case, disputes, dispute, disagreement, disagreements = court courts jurisdiction proceedings action arbitration dispute disputes seat venue tribunal arbitrator
heard, hear, held, take place = seat venue arbitration proceedings jurisdiction sitting held
rival, rivals, competitor, competitors, competing, compete, another brand, other brand = compete competing competitor rival similar exclusive competition business
kept away, kept out, barred, banned, stay away, keep away = not solicit compete restrict recruit engage concerned
hire, hired, poach, take on, recruit, employ, our staff, job = hire employ solicit recruit entice engage employment
secret, secrets, quiet, talk about, talks about, confidential = confidential confidence secret disclose divulge know-how confidentiality
check, checks, checked, look at, looks at, verify, inspect, inspection, go over, audit = inspect inspection audit examine verify test review
approval, permission, sign off, signs off, sign-off, say-so, ask first, asking, ok, approve = consent approve approval countersign permission authorize authorization
arrive, arrives, ship, ships, hand in, handed in, send, sent, due, deliver, delivered, show up = deliver delivery dispatch ship shipment arrive supply submit due send
react, respond, turn up, turns up, show up, come out, come, answer, get back = respond response attend answer arrival reply site
fix, fixed up, repair, repaired, mend, serviced, servicing, maintain, maintained, upkeep = repair remedy rectify cure service maintain maintenance replace
broken, break, breaks, breaks down, damage, damaged, fault, out of order, down = damage defect fault breakdown shortage failure loss broken downtime availability
complain, complaint, complaints, claim = claim complain complaint notify object concern defect
guarantee, guaranteed, guarantees, warranty, promised = warranty warrant guarantee
vouch, stand behind, stands behind, back up, personally = guarantee warranty warrant liability surety
insured, insurance, insure, insuring, cover, covered, insurer = insurance insure policy coverage cover
leak, leaks, leaked, hack, hacked, breach, security problem, incident = breach incident unauthorized access personal security
boss, manager, lead, leads, in charge, head, supervises = report supervise manager lead director charge head direct
contact, ring, call, phone, talk to, speak to, speaks for = contact telephone attention call phone representative
start, starts, begin, begins, kick off, live, go live, open, public = commence commencement start effective begin go-live open opening
staff, people, employees, team, crew, workers, reps = employee personnel staff user representative person crew people team
log in, sign in = access user log use
free, complimentary, no charge, no extra charge, for nothing = free complimentary charge included gratis without
included, includes, cover, covers, covered, part of = include cover scope exclude comprise
extra, additional, another, more, further, second = additional excess further extra above overtime second each
cut, slice, share, percentage, margin, commission, royalty, mark-up, markup = commission royalty percent percentage share margin rate fraction third half
take-home, salary, wage, wages = salary remuneration compensation wage stipend
paid, pay, earn, earns = salary remuneration pay compensation wage stipend fee rate
vacation, holiday, holidays, days off, time off, leave = vacation holiday leave absence
sick, ill, falls sick, fall sick = ill illness injured sick incapacity unable
dies, die, dead = death die estate deceased
bankrupt, broke, goes under, go under, insolvent, goes bust, go bust = insolvent insolvency bankrupt bankruptcy liquidation receiver creditors
disaster, hurricane, strike, walk-out, storm, flood, excuse, excused = majeure strike disaster event excuse control delay
photos, pictures, photo, picture, photographs = photograph image picture photo
movie, film = film motion picture production
song, record = track song album composition
site, place, location, premises, building = site premises location property building place land
machine, machines, equipment, device, devices = equipment machine goods product turbine unit vehicle
goods, stuff, items, things, products, gear, inventory, leftover stock = goods product item stock material article
flat, apartment, apartments, house = apartment flat dwelling unit premises property
shop, store, outlet, branch = shop store premises outlet cafe location
ship, boat = vessel ship
money, cash, funds, sum = fund sum amount money cash payment price
loan, borrow, borrowed, borrows, credit line, credit limit = loan principal advance credit facility borrower
pay back, pays back, paid off, pay off, repaid, pay down = repay prepay prepayment principal due payable balance maturity
early, ahead of time, sooner = early prepay prepayment before sooner prior
secured, security, collateral = secure security mortgage collateral charge pledge
year, years, yearly, annual, annually, each year, every year, a year = annual year annum yearly anniversary
month, monthly, every month, each month, a month = month monthly
day, daily, per day, everyday = day daily
hour, hourly, per hour = hour hourly
year one, first year = first
year two, second year = second
year three, third year = third
sunday, saturday, weekend, at night, evening, after hours, outside hours = hours outside other overtime
email, e-mail, e-mails, online, electronically = e-mail email electronic online mail
stored, kept, keep, storage, hold on to, hang on to, held = store keep retain hold host maintain record preserve
deleted, destroyed, wiped, erased = delete destroy erase overwrite return
video, security video, cctv, footage = footage camera video recording
move, moving, relocate = transfer move relocate migration
accept, accepted, accepts = accept acceptance deem approve
reject, refuse, refused = reject refuse object withhold
conflict, which one wins, wins, win, prevails, takes priority, say different, contradict = conflict prevail control precedence inconsistency
choose, decide, decision = elect option decide choose notice exercise
helpers, helper, assistants, someone else = assistant subcontractor employee agent
supply, supplies, provides, provide, give, gives, put up, puts up = provide supply furnish give
responsible, in charge of, takes care, take care, looks after = responsible obligation shall liable
liable, liability, on the line, exposure = liable liability exceed damages
promote, marketing, advertise, promotion = advertise promotion market promote publicity
logo, name, brand = logo trademark name mark brand
enforceable, binding = bind binding legally enforceable
charge interest, interest = interest
rules, law, laws = law governed
states, state, country, territory, region, area = territory state country region area
overseas, abroad = outside country offshore
dividend, dividends = dividend distribution
bonus, premium, reward = bonus premium success
customer list, customers, clients = customer client
limit, limits, up to = exceed limit maximum
amend, change, changed, changes, edit = amend amendment modify change vary variation writing
pause, freeze, suspend, on hold = freeze suspend suspension frozen pause
switched back on, reconnected, reinstated = reconnection reinstatement restore reconnect
last, final = final last
upfront, up front = initial advance execution
stuck, trapped = trapped stuck entrapment
close, closing, completion, settle, complete = closing close completion complete settle settlement
go ahead, goes ahead, go through with = exercise proceed elect
say yes, accept, accepts = accept acceptance sign
say no, turn down = reject decline refuse object
think * over, think about, consider = consider review reflect
fuel, petrol, gas = fuel diesel petrol gas
shipping, carriage, freight, transport, postage = freight delivery carriage shipping transport
runs over, run over, overrun, overruns = overtime exceed additional beyond
visit, visits = visit inspection attendance attend
reference, future employer = reference
overheads, admin, running costs = overhead administration administrative
bank details, bank account, account details = account
leftover, left over, remaining, left, unspent = remain remaining balance unspent unused remainder rest surplus residue
shareholder, shareholders, stockholders, owners = shareholder stockholder member
debt, debts = debt obligation owe indebtedness sum
harm, hurt, affect, lose, void = void affect invalid loss lose forfeit
cars, park, parking = parking permit vehicle car
air conditioning, heating = hvac heating cooling
rounds, tweaks, revisions, corrections = correction revision round change
tools, tool = tooling tool equipment
backup, backups = archival backup copy
pension = pension retirement superannuation
travel, driving, hotel, hotels = travel mileage expense accommodation
wrote, written, write = written author composer write
trial, court = trial hearing court litigation appeal
papers, files, documents, receipts, logs = file record document account paper receipt log
figures, numbers, accounts = account statement report figure balance
bill, bills, invoice, invoices = invoice bill account statement
mistake, mistakes, error, errors = error mistake omission negligence fault professional
stolen, theft, lost, lose = theft loss lost stolen
safekeeping, safe = escrow custody deposit lodge
dies, pass away = death
deadline, last day, latest = date later deadline before last latest
volume, quantity, amount of work = quantity volume minimum
hit, target, quota, fall short = target minimum quota attain fail below
promote, promoted = promote promotion
training, trained, train, trains = train training course
user, users, seat, seats, people on our side = user seat licence license
uptime, downtime, outage, system is down, is down = availability downtime unavailable uptime outage
work, project, job = work project service engagement assignment
lawyer, lawyers, attorney = lawyer attorney counsel
tests, test, testing, tested, pass = test testing acceptance pass
proof, certificate = certificate evidence proof
stays, remains, stay = remain continue
sign, signing, signed = sign signature execution execute
credit, credits = credit
collect, pick up, picked up = collect collection
clean, cleaning, cleaned = clean cleaning
alone, exclusive, only one, monopoly, sole = exclusive sole exclusivity
directly, direct = direct itself
names, named, called = name
probation, trial period = probation probationary trial
pay rise, salary review = salary review increase
work from home, working from home, remote, remotely = remote home remotely place
side job, second job, other jobs, moonlight, work elsewhere = outside employment engagement business activity interest
car, company car = vehicle car allowance
laptop, computer, phone = equipment computer device telephone
shares, stock, options, equity = option share stock equity vesting
redundancy, laid off, severance, payoff, pay-off = severance redundancy termination compensation
expenses, out of pocket = expense reimburse reimbursement disbursement cost
working hours = hours work
utilities, electricity, power, water = utility electricity water gas power energy
pets, pet, dog, cat = animal pet dog
roof, walls, outside = roof structure exterior wall
paint, decorate, redecorate, renovate, alter, alterations, build = alteration decorate improvement fixture paint erect
come in, get in, enter = enter entry access inspect
service charge, common costs = service operating common expense charge
council tax, property tax, taxes, tax = tax rates duty vat gst levy
move in, moves in, take possession = possession commencement occupy occupation
overstay, stay past = holdover holding remaining
rent-free, rent free = rent-free abatement
noise, noisy = nuisance noise
visitors, guests, friends = guest visitor person
grace, grace period, extra days = grace cure remedy days
instalments, installments, instalment, installment = instalment installment
drawdown, draw, draws, drawn = drawdown advance draw tranche utilisation
snags, snagging, defects = defect punch snag
variation, changes, extra work = variation change extra additional
handed over, hand * over = completion handover deliver delivery transfer surrender
ready, completed, complete = completion complete ready practical
support, helpdesk, help desk, help = support helpdesk assistance service
updates, update, upgrade, upgrades, new version = update upgrade release version
export, data back = export return data
send back, reject, faulty = reject return defective replace replacement
risk, in transit = risk pass loss transit
lead time = delivery time order
currency = currency dollars euro sterling
bank transfer, wire, cheque, check, direct debit = transfer wire bank cheque debit
press, press release, publicity = publicity announcement press
hurt, injured, accident, safety = injury accident safety health
visa, permits, permit, licence, license = permit visa licence license authorization
replacement, replace, replaced, stand-in, substitute = replace substitute replacement
key people, key staff = key personnel
meet, meetings, meeting = meeting meet committee
quality, standard, standards = standard quality specification
address = address notice
children, kids, child = child children
doctor, vet = physician doctor medical veterinary
teach, teaches, lesson, lessons, class, classes = lesson class course teaching instruction
ticket, tickets = ticket admission
food, meals, catering, drinks = catering meal food beverage
room, rooms, hotel = room accommodation
ad, ads, advert, adverts = advertisement advertising
post, posts, social media = post social media content
approve, happy with = approve approval acceptance satisfaction
exclusive, only = exclusive sole
rain, weather, snow = weather rain
subscription, subscribe = subscription
speed, slow = performance speed
minimum order = minimum order quantity
storage, warehouse = storage warehouse store
trees, garden = garden grounds landscaping
cleaner, cleaners = cleaning operative cleaner
guards, guard = guard security officer
driver, drivers = driver operator
crew = crew personnel
ask for, request, requests = request application notice
get paid, gets paid, being paid = payment pay payable invoice
split, divided, shared = share divide equal proportion
first refusal, first chance = refusal offer preemption
put right, make good, sort out = remedy rectify cure repair
responsible for loss, to blame, fault = liable negligence fault responsible
break the contract, breaks the contract, breach, breaches, break the rules = breach default material violation remedied
hold * back, withhold, refuse to pay, dispute * bill = withhold dispute retain set-off
go bust, insolvent = insolvent insolvency liquidation
big, size, large, how big = area size approximately hectare square
tall, high, height, pile = height exceed stack
`

// Phrase is a word or a phrase of questions, with what contracts write for it.
type Phrase struct {
	words []string
	// Stand are the stems of what contracts write.
	Stand []string
}

// phrases are the lines of everyday, business and ordinary by the first word of each phrase.
var phrases = phrasesOf(everyday + business + ordinary)

// Phrases returns the phrases that begin with a word. The caller must not change the result.
func Phrases(first string) []Phrase { return phrases[first] }

// phrasesOf reads a list such as everyday.
func phrasesOf(list string) map[string][]Phrase {
	all := map[string][]Phrase{}
	for line := range strings.Lines(list) {
		asked, written, _ := strings.Cut(line, "=")
		stand := Terms(written)
		for p := range strings.SplitSeq(asked, ",") {
			words := strings.Fields(p)
			if len(words) > 0 {
				all[words[0]] = append(all[words[0]], Phrase{words, stand})
			}
		}
	}
	return all
}

// maxGap is the maximum number of words for an asterisk in a phrase.
const maxGap = 3

// At returns how many of the words the phrase takes from the beginning, 0 if they do not begin
// with it, and those for its asterisk.
func (p Phrase) At(words []string) (n int, between []string) {
	for i, w := range p.words {
		if w == "*" {
			end := n
			for end < len(words) && words[end] != p.words[i+1] {
				if end++; end > n+maxGap {
					return 0, nil
				}
			}
			n, between = end, words[n:end]
			continue
		}
		if n >= len(words) || words[n] != w {
			return 0, nil
		}
		n++
	}
	return n, between
}
