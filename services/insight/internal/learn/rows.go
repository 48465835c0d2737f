package learn

// place says where the weights of a feature are: those that follow each other from an index on,
// or all in a row. Most features have one weight, which is in the place itself.
type place uint32

const (
	// countBits is the number of bits of a place that hold how many weights there are.
	countBits = 7
	// whole stands for a row instead of a number of weights.
	whole = 1<<countBits - 1
)

func placeOf(at, count int) place { return place(at<<countBits | count) }

// placeOfOne returns the place that holds a weight.
func placeOfOne(w weight) place { return placeOf(int(w.decision)<<8|int(uint8(w.value)), 1) }

// weight returns the weight that a place holds.
func (p place) weight() weight { return weight{uint8(p.at() >> 8), int8(p.at())} }

func (p place) at() int     { return int(p >> countBits) }
func (p place) count() int  { return int(p & whole) }
func (p place) inRow() bool { return p.count() == whole }

// fullRow is the number of weights from which a feature has a row. Some thousand features, most
// of them single common words, weigh in most decisions, and have most of the weights that are
// added.
const fullRow = 24

// row holds the weight of a feature in each decision, eight to a word, plus zero.
type row [MaxDecisions / 8]uint64

// zero is how a weight of 0 is held in a row.
const zero = 128

// newRow returns a row of weights of 0.
func newRow() row {
	var r row
	for i := range r {
		r[i] = zero * 0x0101010101010101
	}
	return r
}

// set sets the weight in a decision.
func (r *row) set(decision uint8, value int8) {
	shift := decision % 8 * 8
	r[decision/8] = r[decision/8]&^(0xFF<<shift) | uint64(int(value)+zero)<<shift
}

// value returns the weight in a decision.
func (r *row) value(decision int) int8 {
	return int8(int(r[decision/8]>>(decision%8*8)&0xFF) - zero)
}

// totals adds weights by decision. Those of rows are added four at a time, in 16 bits each.
type totals struct {
	sums [MaxDecisions]int32
	// even and odd hold the sums of every other weight of the rows since the last settle.
	even, odd [MaxDecisions / 8]uint64
	rows      int
}

// lanes selects every other byte.
const lanes = 0x00FF00FF00FF00FF

// maxRows is how many rows 16 bits can hold the sums of.
const maxRows = 1<<16/256 - 1

// addRow adds the weights of a row in the first decisions.
func (t *totals) addRow(r *row, decisions int) {
	for i := range (decisions + 7) / 8 {
		t.even[i] += r[i] & lanes
		t.odd[i] += r[i] >> 8 & lanes
	}
	if t.rows++; t.rows == maxRows {
		t.settle()
	}
}

// settle moves the sums of the rows into sums.
func (t *totals) settle() {
	if t.rows == 0 {
		return
	}
	for i := range t.even {
		for lane := range 4 {
			t.sums[8*i+2*lane] += int32(t.even[i]>>(16*lane)&0xFFFF) - int32(zero*t.rows)
			t.sums[8*i+2*lane+1] += int32(t.odd[i]>>(16*lane)&0xFFFF) - int32(zero*t.rows)
		}
	}
	t.even, t.odd, t.rows = [len(t.even)]uint64{}, [len(t.odd)]uint64{}, 0
}
