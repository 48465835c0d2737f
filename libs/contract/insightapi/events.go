package insightapi

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ProgressLog is the log on the bus that the events of jobs are in.
const ProgressLog = "insight"

// Teller tells the events of one job, but for the last one: first the stages, then
// the keys, in their orders. A Teller is for one job and one goroutine.
type Teller struct {
	requests []Request
	sequence int
	done     int // steps
	steps    int
}

// NewTeller returns a Teller of a job that answers the requests.
func NewTeller(requests []Request) *Teller {
	return &Teller{requests: requests, steps: len(Stages()) + len(Asked(requests))}
}

// Events returns all events of a job that has answered the requests with a, but for
// the last one.
func Events(requests []Request, a *Answer) []Event {
	t := NewTeller(requests)
	var events []Event
	for _, stage := range Stages() {
		events = append(events, t.Stage(stage)...)
	}
	for _, key := range Keys() {
		events = append(events, t.Key(key, a)...)
	}
	return events
}

// Stage returns the events that tell of a stage that was reached.
func (t *Teller) Stage(stage string) []Event { return []Event{t.progress(stage)} }

// Key returns the events that tell of a key that was answered: an insight for each
// item, under the key and under each other name that it was asked for by, so that
// the items of a name are those of the answer. Of a key that was not asked for there
// are none.
func (t *Teller) Key(key Type, a *Answer) []Event {
	var own []Request
	for _, r := range t.requests {
		if r.Type.Key() == key {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return nil
	}
	answered := a.Select(own)
	answered.SignedURL = ""
	var events []Event
	for _, item := range items(answered) {
		events = append(events, t.next(EventInsight, encode(item)))
	}
	return append(events, t.progress(string(key)))
}

// progress returns the event of a step that was done.
func (t *Teller) progress(stage string) Event {
	t.done++
	return t.next(EventProgress, encode(Progress{Stage: stage, Progress: math.Round(float64(t.done)/float64(t.steps)*1e4) / 1e4}))
}

func (t *Teller) next(kind EventKind, data jsontext.Value) Event {
	t.sequence++
	return Event{Sequence: t.sequence, Kind: kind, Data: data}
}

// items returns what is in an answer, in the order of Types.
func items(a Answer) []Item {
	var members map[Type]jsontext.Value
	if json.Unmarshal(encode(a), &members) != nil { // null: encode says why
		return nil
	}
	var all []Item
	for _, name := range Types() {
		value, list := members[name], []jsontext.Value(nil)
		switch {
		case len(value) == 0 || value.Kind() == 'n':
		case json.Unmarshal(value, &list) == nil:
			for _, item := range list {
				all = append(all, Item{Key: name, Item: item})
			}
		default:
			all = append(all, Item{Key: name, Item: value})
		}
	}
	return all
}

// encode writes a value as answers are written: the same value has the same bytes.
// What it is given was made here, of strings and finite numbers; of anything else
// there is null, as of an answer that cannot be given.
func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return data
}
