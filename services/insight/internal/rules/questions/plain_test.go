package questions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// stabled is a contract about the keeping of horses. Questions about it use other words.
const stabled = `LIVERY AGREEMENT

This Agreement is made on 2 May 2022 between Fernhill Stables Ltd (the "Yard") and Ottilie Brandt (the "Owner").

1. Services

1.1 The Yard shall provide stabling, feed and bedding for up to three horses.

1.2 The Yard's grooms shall turn out each horse every second day.

1.3 The Yard shall telephone the Owner within two hours of any injury to a horse.

1.4 The head groom is Ms. Petra Vollan, who answers all enquiries of the Owner.

1.5 The Yard shall not exercise the horses on public roads.

1.6 Worming and farriery are excluded.

2. Charges

2.1 The Owner shall pay a livery fee of £640 per month for each horse, in advance.

2.2 The Yard may revise the livery fee once in each calendar year, but shall not increase it by more than 6%.

2.3 Sums in arrears bear interest at eight per cent per annum.

2.4 The Owner shall lodge a bond of £900, which the Yard shall refund within 21 days after the horses have left.

3. Term

3.1 Either party may terminate this Agreement without cause by giving the other six weeks' written notice.

3.2 This Agreement expires on 30 April 2024 and may be renewed for a further term of one year by notice given no later than 31 January 2024.

3.3 If the Owner sells a horse, the purchaser may take the place of the Owner.

4. General

4.1 Tack that is left in the tack room belongs to the Owner.

4.2 The horses are kept at Fernhill Farm, Hexham.

4.3 The veterinary surgeon shall be paid by the Owner.

4.4 The Owner may bring two guests to each lesson.

4.5 The paddock measures about 4.5 hectares.

4.6 Mares and foals are kept apart for ten days after birth.

4.7 The straw rate changes from £3 to £4 a bale.

4.8 The Yard shall repair the gates, and the Owner shall repair the fences.

4.9 Lessons may not be cancelled.
`

// TestPlainQuestions shows the values that answer questions in plain speech.
func TestPlainQuestions(t *testing.T) {
	d := rulestest.Read(stabled)
	for _, tt := range []struct{ question, value, quote string }{
		{"How fast must they ring us if a horse gets hurt?", "two hours", "telephone"},
		{"How often do the horses get out of the stable?", "every second day", "turn out"},
		{"By how much at most can the price go up?", "6%", "increase"},
		{"How often may they put up the fee?", "once in each calendar year", "revise"},
		{"What interest do we owe if we are late?", "eight per cent per annum", "arrears"},
		{"What does it cost each month to keep a horse there?", "£640", "livery fee of"},
		{"When do we get the bond back?", "within 21 days after the horses have left", "refund"},
		{"How much warning do we have to give to get out?", "six weeks' written notice", "without cause"},
		{"When does the deal run out?", "30 April 2024", "expires"},
		{"By when do we have to say that we want to carry on for another year?", "31 January 2024", "renewed"},
		{"How long are mares and foals kept apart?", "ten days", "foals"},
		{"What is the new rate for straw?", "£4 a bale", "straw"},
		{"Who mends the fences?", "the Owner", "fences"},
		{"Can I drop the lessons?", "No", "cancelled"},
		{"Who owns the tack we leave there?", "the Owner", "belongs"},
		{"Who pays the veterinary surgeon?", "the Owner", "surgeon"},
		{"Who is the head groom?", "Ms. Petra Vollan", "head groom"},
		{"Where are the horses kept?", "Fernhill Farm, Hexham", "Hexham"},
		{"How many guests can I bring to a lesson?", "two", "guests"},
		{"How big is the paddock?", "4.5 hectares", "paddock"},
		{"Is farriery included?", "No", "excluded"},
		{"Can they exercise the horses on public roads?", "No", "roads"},
		{"What happens if I sell a horse?", "If the Owner sells a horse, the purchaser may take the place of the Owner.", "sells"},
		{"How many foals may be born in the stable?", "", ""},
		{"Does the yard need a fire alarm?", "", ""},
		{"Which law governs this agreement?", "", ""},
		{"Which courts would hear a lawsuit?", "", ""},
		{"In which city are disputes heard?", "", ""},
		{"What discount is there for a second rider?", "", ""},
		{"What pension does the Yard pay each month for horses it keeps?", "", ""},
		{"How many weeks of vacation does the Owner get before the Agreement expires?", "", ""},
		{"How much insurance must the Yard have in case of injury to a horse?", "", ""},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
}

// TestManyQuestions shows that many questions about a long contract take little time.
func TestManyQuestions(t *testing.T) {
	q := questions.New(rulestest.Read(strings.Repeat(stabled, 100)), "")
	q.Answers("Who pays?")
	start := time.Now()
	for range 20 {
		q.Answers("How fast must they ring us if a horse gets hurt, and what does it cost at most to get out early?")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("20 questions took %v", took)
	} else {
		t.Logf("20 questions took %v", took)
	}
}
