package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// TestManyStates shows that a pattern stays right when its automata outgrow their bounds, and when
// several goroutines use it meanwhile. Of each of its automata, some pattern has too many states.
func TestManyStates(t *testing.T) {
	var exact, ordered atomic.Bool
	few, many := manyStates(3, "qq"), manyStates(4, "qq")
	for _, expr := range []string{few, many, "q.*(?:" + few + ")", "q.*?(?:" + many + ")", "(qa|.)(?:" + many + ")"} {
		p, re := pattern.MustCompile(expr), regexp.MustCompile(expr)
		var group sync.WaitGroup
		for seed := range uint64(4) {
			group.Go(func() {
				compareOnNoise(t, seed, 100, func(text string) string {
					defer func() {
						inExact, inOrdered := p.Overflowed()
						exact.CompareAndSwap(false, inExact)
						ordered.CompareAndSwap(false, inOrdered)
					}()
					return differs(p, re, text)
				})
			})
		}
		group.Wait()
	}
	if !exact.Load() || !ordered.Load() {
		t.Errorf("an automaton that counts had too many states: %t, one that finds the end: %t; want both", exact.Load(), ordered.Load())
	}
}

// TestManyAutomata shows that automata that need many states share a bound, and answer as package
// regexp does when they have reached it.
func TestManyAutomata(t *testing.T) {
	for seed := range uint64(40) {
		expr := manyStates(3, strconv.Itoa(int(seed)))
		p, re := pattern.MustCompile(expr), regexp.MustCompile(expr)
		compareOnNoise(t, seed, 100, func(text string) string {
			if got, want := p.MatchString(text), re.MatchString(text); got != want {
				return fmt.Sprintf("%q: got %v, want %v", text, got, want)
			}
			return ""
		})
		if size := pattern.Surplus(); size > pattern.MaxSurplus {
			t.Fatalf("after %d automata, they have %d words beyond their usual size, more than %d", seed+1, size, pattern.MaxSurplus)
		}
	}
	if pattern.Surplus() == 0 {
		t.Error("no automaton needed more than its usual size")
	}
}

// manyStates returns an expression that needs many states, to count as far as count. It also
// matches a text.
func manyStates(count int, text string) string {
	var expr strings.Builder
	for i := range 12 {
		fmt.Fprintf(&expr, "%c.{0,%d}.{0,3}.{0,3}.{0,3}z|", 'a'+i, count)
	}
	return expr.String() + text
}

// compareOnNoise reports the first difference that a function finds in random texts.
func compareOnNoise(t *testing.T, seed uint64, texts int, differs func(text string) string) {
	r := rand.New(rand.NewPCG(seed, 3))
	text := make([]byte, 60)
	for range texts {
		for i := range text {
			text[i] = "abcdefghijklmnopqz"[r.IntN(18)]
		}
		if d := differs(string(text)); d != "" {
			t.Error(d)
			return
		}
	}
}
