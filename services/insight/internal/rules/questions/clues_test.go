package questions_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// dealing is a contract about the sale of goods to customers.
const dealing = `DEALER AGREEMENT

The Maker may sell to customers in Norway through its own website.

The Dealer shall not sell stoves of other makers.

The Maker bears half of the cost of trade fairs that it has approved.

The Maker appoints the Dealer for Norway.
`

// policy is a privacy policy, which says nothing about money.
const policy = `Privacy Policy of Fernway Books Online

Effective 1 February 2026

Fernway B.V., Kade 4, Utrecht, is responsible for the processing of your personal data. Our data protection officer is Hanna Vos, privacy@fernway.example.

What we collect
When you order, we collect your name, your delivery address, your email address and your telephone number. We do not store card numbers; our payment provider Paylet does.

Why we use it
We use your data to deliver orders, to answer questions and to prevent fraud. If you agree, we also send you a newsletter twice a month. You can unsubscribe at any time with the link in each newsletter.

Who receives it
We share your address with the courier that delivers your books and your order data with our accountant. We do not sell personal data to anyone.

How long we keep it
We keep order data for seven years because tax law requires it. Messages to our support are deleted after 18 months. If you close your account, we delete your profile within 30 days.

Cookies
We use cookies that the shop needs to work. Cookies for statistics are set only with your consent.

Your rights
You may ask us for a copy of your data, and have it corrected or deleted. We answer within one month. You may also complain to the Dutch data protection authority.

Security
Data is encrypted during transfer and stored on servers in the Netherlands. If a breach puts you at risk, we will tell you without undue delay.

Children
Our shop is not meant for children under 16.

Changes
We announce changes to this policy on this page at least 14 days before they take effect.
`

// TestWordsOfParties shows that a word with the stem of one for a party, such as "sell", says what is asked.
func TestWordsOfParties(t *testing.T) {
	d := rulestest.Read(dealing)
	answer(t, d, "Can we sell other brands?", "No", "other makers")
}

// TestOtherCosts shows that a sentence on the cost of one thing does not say who pays for another, and that one that
// says nothing about money does not say what something costs.
func TestOtherCosts(t *testing.T) {
	d := rulestest.Read(dealing)
	answer(t, d, "Who pays for the trade fairs?", "The Maker", "half of the cost")
	for _, question := range []string{"Who pays the customs duties?", "Who pays the maker's legal fees?"} {
		if got := questions.New(d, "").Answers(question); len(got) > 0 {
			t.Errorf("%q: got %q", question, d.Quote(got[0].Span))
		}
	}
	d = rulestest.Read(policy)
	if got := questions.New(d, "").Answers("How much does it cost to get a copy?"); len(got) > 0 {
		t.Errorf("got %q", d.Quote(got[0].Span))
	}
}
