package questions_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// dealing is a contract about the sale of goods to customers.
const dealing = `DEALER AGREEMENT

The Maker may sell to customers in Norway through its own website.

The Dealer shall not sell stoves of other makers.

The Maker bears half of the cost of trade fairs that it has approved.

The Maker appoints the Dealer for Norway.
`

// TestWordsOfParties shows that a word with the stem of one for a party, such as "sell", says what is asked.
func TestWordsOfParties(t *testing.T) {
	d := rulestest.Read(dealing)
	answer(t, d, "Can we sell other brands?", "No", "other makers")
}
