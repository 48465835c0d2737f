package insightapi

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ProgressLog is the name of the bus log that contains the events of jobs.
const ProgressLog = "insight"

// EventBuilder builds the events of one job, except the last one. Call it for the stages
// and the keys in the order of Steps. It is not safe for concurrent use.
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

// Events returns all events, except the last one, of a job that has answered the requests
// with a.
func Events(requests []Request, a *Answer) []Event {
	b := NewEventBuilder(requests)
	var events []Event
	for _, step := range Steps(a.Usage != nil) {
		if step.Stage != "" {
			events = append(events, b.Stage(step.Stage)...)
		} else {
			events = append(events, b.Key(step.Key, a)...)
		}
	}
	return events
}

// Stage returns the events for a completed stage.
func (b *EventBuilder) Stage(stage string) []Event { return []Event{b.progress(stage)} }

// Key returns the events for an answered key: an insight for each item, under the key and
// under each other requested name, so that the items of each name match the answer. It
// returns none for a key that was not requested.
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

// progress returns the event for a completed step.
func (b *EventBuilder) progress(stage string) Event {
	b.done++
	return b.next(EventProgress, encode(Progress{Stage: stage, Progress: b.Within(0)}))
}

// Within returns the progress of the job when a share of the next step is done, both from
// 0 to 1. It belongs to no event, since another worker might not be as far.
func (b *EventBuilder) Within(share float64) float64 {
	return math.Round((float64(b.done)+min(max(share, 0), 1))/float64(b.steps)*1e4) / 1e4
}

func (b *EventBuilder) next(kind EventKind, data jsontext.Value) Event {
	b.sequence++
	return Event{Sequence: b.sequence, Kind: kind, Data: data}
}

// items returns the items of an answer, in the order of Types.
func items(a Answer) []Item {
	var members map[Type]jsontext.Value
	if json.Unmarshal(encode(a), &members) != nil { // it is null: see encode
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

// encode encodes a value deterministically, as answers are encoded. The values are built
// here from strings and finite numbers. A value that cannot be encoded becomes null, like
// an answer that cannot be given.
func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return data
}
