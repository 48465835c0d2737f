package names_test

import (
	"math"
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
)

// weights returns weights for three features.
func weights() names.Weights {
	return names.Weights{
		Features: []hashed.Weight{{Key: names.FeatureOf("rents"), Weight: 10}, {Key: names.FeatureOf("brand"), Weight: -8}, {Key: names.FeatureOf("signs"), Weight: 4}},
		Step:     0.1, Best: names.Calibration{Slope: 1, Offset: 1}, Others: names.Calibration{Slope: 1, Offset: -1},
	}
}

// features returns features of a name.
func features(facts []string, uses ...string) (f names.Features) {
	for _, text := range facts {
		f.Facts = append(f.Facts, names.FeatureOf(text))
	}
	for _, text := range uses {
		f.Uses = append(f.Uses, names.FeatureOf(text))
	}
	return f
}

// TestOdds shows that each fact counts the same, and that uses share their strength.
func TestOdds(t *testing.T) {
	m := names.New(weights())
	for _, c := range []struct {
		f    names.Features
		want float64
	}{
		{names.Features{}, 0},
		{features([]string{"signs", "unknown"}), 0.4},
		{features(nil, "rents"), 0.1 * 10 * names.Use(1)},
		{features([]string{"signs"}, "rents", "brand", "unknown", "also unknown"), 0.4 + 0.1*2*names.Use(4)},
	} {
		if got := m.Odds(c.f); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("got the odds %v, want %v", got, c.want)
		}
	}
	if names.Use(4) != names.Use(1)/2 || names.Use(0) != names.Use(1) {
		t.Errorf("one use counts %v, each of four %v, want half of it", names.Use(1), names.Use(4))
	}
	if m.Weight(names.FeatureOf("brand")) != -8 || m.Weight(names.FeatureOf("unknown")) != 0 {
		t.Error("a feature has another weight")
	}
}

// TestProbabilities shows that the two best names of a document are calibrated apart from the others.
func TestProbabilities(t *testing.T) {
	m := names.New(weights())
	odds := []float64{-2, 3, -2, 1}
	if best := names.Best(odds); !slices.Equal(best, []bool{false, true, false, true}) {
		t.Errorf("the best names are %v", best)
	}
	got := m.Probabilities(odds)
	for i, z := range []float64{-3, 4, -3, 2} {
		if want := 1 / (1 + math.Exp(-z)); math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("%d: got %v, want %v", i, got[i], want)
		}
	}
	if best := names.Best([]float64{5}); !best[0] || len(m.Probabilities(nil)) != 0 {
		t.Error("the only name is not the best one")
	}
}

// TestFormat shows that a model is read as it was written, and that damaged files are refused.
func TestFormat(t *testing.T) {
	file := names.Encode(weights())
	m, err := names.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	want := names.New(weights())
	f := features([]string{"signs"}, "rents", "brand")
	if m.Odds(f) != want.Odds(f) || !slices.Equal(m.Probabilities([]float64{1, 2, 3}), want.Probabilities([]float64{1, 2, 3})) {
		t.Error("the model was read differently")
	}
	for n := range file {
		if _, err := names.Decode(file[:n]); err == nil {
			t.Errorf("got no error for the first %d of %d bytes", n, len(file))
		}
	}
	if _, err := names.Decode(append(file, 0)); err == nil {
		t.Error("got no error for a byte too many")
	}
	if _, err := names.Decode([]byte("recto-names-0\n" + string(file[len("recto-names-0\n"):]))); err == nil {
		t.Error("got no error for another version")
	}
}
