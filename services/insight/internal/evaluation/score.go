// Package evaluation measures answers about documents against human annotations of the same
// documents. It defines when a finding counts as right. It reports numbers only, and has no
// thresholds.
package evaluation

import (
	"math"
	"slices"

	"github.com/go-json-experiment/json"
)

// Score counts the findings of one kind. Findings and annotations may divide the text
// differently, so the correct ones are counted separately on each side.
type Score struct {
	// Found is the number of items found, RightFound the number of those that are right.
	Found, RightFound int
	// Gold is the number of annotations, Recalled the number of those that were found.
	Gold, Recalled int
}

// Add counts a single value of a document: whether it was found, whether it was annotated,
// and whether both are the same.
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

// AddSpans counts the passages of a document: whether each that was found is right, and whether
// each that was annotated was found.
func (s *Score) AddSpans(found, recalled []bool) {
	for _, right := range found {
		s.addFound(right)
	}
	for _, r := range recalled {
		s.addGold(r)
	}
}

// addFound counts an item.
func (s *Score) addFound(right bool) {
	s.Found++
	if right {
		s.RightFound++
	}
}

// addGold counts an annotation.
func (s *Score) addGold(recalled bool) {
	s.Gold++
	if recalled {
		s.Recalled++
	}
}

// Precision returns the fraction of found items that are right, from 0 to 1. It is 0 if
// nothing was found.
func (s *Score) Precision() float64 { return ratio(s.RightFound, s.Found) }

// Recall returns the fraction of annotations that were found. It is 0 if there are none.
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

// bins is the number of bins for confidences, of equal width.
const bins = 10

// Calibration compares confidences with how often they were right.
type Calibration struct {
	counts     [bins]int
	right      [bins]int
	confidence [bins]float64
}

// Add counts an item with a confidence from 0 to 1.
func (c *Calibration) Add(confidence float64, right bool) {
	i := min(int(confidence*bins), bins-1)
	c.counts[i]++
	c.confidence[i] += confidence
	if right {
		c.right[i]++
	}
}

// Error returns the expected calibration error: the mean difference between confidence and
// accuracy, weighted by the items of each bin.
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
	// Confidence is the mean confidence of its items, Right the fraction that is right.
	Confidence, Right float64
	Items             int
}

// Bins returns the bins that have items, in order of confidence.
func (c *Calibration) Bins() []Bin {
	var all []Bin
	for i, n := range c.counts {
		if n > 0 {
			all = append(all, Bin{c.confidence[i] / float64(n), ratio(c.right[i], n), n})
		}
	}
	return slices.Clip(all)
}

// MarshalJSON implements json.Marshaler. It encodes the error and the bins.
func (c Calibration) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Error float64 `json:"error"`
		Bins  []Bin   `json:"bins"`
	}{c.Error(), c.Bins()})
}
