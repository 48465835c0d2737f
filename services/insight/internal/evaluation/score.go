// Package evaluation measures what the rules find against what people found in the
// same documents. It owns what counts as right, and how it is counted. It judges
// nothing: it counts.
package evaluation

import (
	"math"
	"slices"

	"github.com/go-json-experiment/json"
)

// Score counts what was found of a kind. What was found and what people found may
// be cut differently, so that the right ones of each are counted by themselves.
type Score struct {
	// Found is how many items were found, RightFound how many of them are right.
	Found, RightFound int
	// Gold is how many people found, Recalled how many of those were found.
	Gold, Recalled int
}

// Add counts a single value of a document: what was found and what people found,
// and whether these are the same. What is not there is neither.
func (s *Score) Add(found, gold, same bool) {
	if found {
		s.Found++
	}
	if gold {
		s.Gold++
	}
	if found && gold && same {
		s.RightFound++
		s.Recalled++
	}
}

// Precision returns which part of what was found is right, from 0 to 1; 0 where
// nothing was found.
func (s *Score) Precision() float64 { return ratio(s.RightFound, s.Found) }

// Recall returns which part of what people found was found.
func (s *Score) Recall() float64 { return ratio(s.Recalled, s.Gold) }

// F1 returns the harmonic mean of precision and recall.
func (s *Score) F1() float64 {
	p, r := s.Precision(), s.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func ratio(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// bins is how many bins of equal width confidences are put into.
const bins = 10

// Calibration holds confidences against how often they were right.
type Calibration struct {
	counts     [bins]int
	right      [bins]int
	confidence [bins]float64
}

// Add counts an item of a confidence from 0 to 1.
func (c *Calibration) Add(confidence float64, right bool) {
	i := min(int(confidence*bins), bins-1)
	c.counts[i]++
	c.confidence[i] += confidence
	if right {
		c.right[i]++
	}
}

// Error returns the expected calibration error: the mean difference between how
// sure items were and how often they were right, weighted by the items of each bin.
func (c *Calibration) Error() float64 {
	all, sum := 0, 0.0
	for i, n := range c.counts {
		all += n
		sum += math.Abs(c.confidence[i] - float64(c.right[i]))
	}
	if all == 0 {
		return 0
	}
	return sum / float64(all)
}

// Bin is a range of confidences.
type Bin struct {
	// Confidence is the mean confidence of its items, Right the part that is right.
	Confidence, Right float64
	Items             int
}

// Bins returns the bins that have items, by confidence.
func (c *Calibration) Bins() []Bin {
	var all []Bin
	for i, n := range c.counts {
		if n > 0 {
			all = append(all, Bin{c.confidence[i] / float64(n), ratio(c.right[i], n), n})
		}
	}
	return slices.Clip(all)
}

// MarshalJSON implements json.Marshaler: the error, and the bins that it is of.
func (c Calibration) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Error float64 `json:"error"`
		Bins  []Bin   `json:"bins"`
	}{c.Error(), c.Bins()})
}
