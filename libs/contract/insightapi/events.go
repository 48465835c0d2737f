package insightapi

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ProgressLog is the log on the bus that the events of jobs are in.
const ProgressLog = "insight"

// EventBuilder builds the events of one job, but for the last one: first those of the
// stages, then those of the keys, in their orders. It is for one job and one goroutine.
type EventBuilder struct {
	requests []Request
	sequence int
	done     int // steps
	steps    int
}

// NewEventBuilder returns the EventBuilder of a job that answers the requests.
func NewEventBuilder(requests []Request) *EventBuilder {
	return &EventBuilder{requests: requests, steps: len(Stages()) + len(Asked(requests))}
}

// Events returns all events of a job that has answered the requests with a, but for
// the last one.
func Events(requests []Request, a *Answer) []Event {
	b := NewEventBuilder(requests)
	var events []Event
	for _, stage := range Stages() {
		events = append(events, b.Stage(stage)...)
	}
	for _, key := range Keys() {
		events = append(events, b.Key(key, a)...)
	}
	return events
}

// Stage returns the events that tell of a stage that was reached.
func (b *EventBuilder) Stage(stage string) []Event { return []Event{b.progress(stage)} }

// Key returns the events that tell of a key that was answered: an insight for each
// item, under the key and under each other name that it was asked for by, so that
// the items of a name are those of the answer. Of a key that was not asked for there
// are none.
func (b *EventBuilder) Key(key Type, a *Answer) []Event {
	var own []Request
	for _, r := range b.requests {
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
		events = append(events, b.next(EventInsight, encode(item)))
	}
	return append(events, b.progress(string(key)))
}

// progress returns the event of a step that was done.
func (b *EventBuilder) progress(stage string) Event {
	b.done++
	return b.next(EventProgress, encode(Progress{Stage: stage, Progress: math.Round(float64(b.done)/float64(b.steps)*1e4) / 1e4}))
}

func (b *EventBuilder) next(kind EventKind, data jsontext.Value) Event {
	b.sequence++
	return Event{Sequence: b.sequence, Kind: kind, Data: data}
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
