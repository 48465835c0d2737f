package compat

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// comparison holds what a service answered against what was recorded. Members that were not
// recorded are allowed: the recorded version ignores them.
type comparison struct {
	// ids maps recorded ids to those of the services under test, and names the keys of
	// recorded objects. Comparing extends both.
	ids, names map[string]string
	// shape compares only the types of values.
	shape bool
}

// free are members whose values may differ between versions, because they name what a
// program made: only their types are compared.
var free = regexp.MustCompile(`(^|\.)(etag|key|download_url|url|upload_url|signed_url|file_base64|create_datetime|progress)$|^size$`)

// values returns the differences between a recorded value and the present one.
func (c *comparison) values(path string, was, is any) (differences []string) {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return []string{path + " was an object"}
		}
		for _, name := range slices.Sorted(maps.Keys(was)) {
			below := strings.TrimPrefix(path+"."+name, ".")
			if value, ok := is[name]; ok {
				differences = append(differences, c.values(below, was[name], value)...)
			} else {
				differences = append(differences, below+" is gone")
			}
		}
		return differences
	case []any:
		is, ok := is.([]any)
		if !ok || !c.shape && len(is) != len(was) {
			return []string{fmt.Sprintf("%s was %.200s and is %.200s", path, show(was), show(is))}
		}
		for i := range min(len(was), len(is)) {
			differences = append(differences, c.values(fmt.Sprintf("%s.%d", path, i), was[i], is[i])...)
		}
		return differences
	}
	return c.scalars(path, was, is)
}

// scalars is values for values without members.
func (c *comparison) scalars(path string, was, is any) []string {
	if old, ok := was.(string); ok {
		if now, ok := is.(string); ok {
			c.learn(old, now)
			was = c.translate(old)
			if was != now && strings.HasSuffix(path, "key") {
				c.names[was.(string)] = now
			}
		}
	}
	same := fmt.Sprintf("%T", was) == fmt.Sprintf("%T", is)
	if c.shape { // null stands for a value that is not known
		same = same || was == nil || is == nil
	}
	if same && (c.shape || free.MatchString(path) || isTime(was) && isTime(is) || was == is) {
		return nil
	}
	return []string{fmt.Sprintf("%s was %.200s and is %.200s", path, show(was), show(is))}
}

// show returns a value as JSON.
func show(v any) string {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// isTime reports whether a value is a time in Unix milliseconds.
func isTime(v any) bool {
	n, ok := v.(float64)
	return ok && anyTime.MatchString(fmt.Sprintf("%.0f", n))
}

// learn notes which ids stand for the recorded ones.
func (c *comparison) learn(was, is string) {
	old, now := anyID.FindAllString(was, -1), anyID.FindAllString(is, -1)
	if len(old) != len(now) {
		return
	}
	for i := range old {
		if _, known := c.ids[old[i]]; !known {
			c.ids[old[i]] = now[i]
		}
	}
}

// translate replaces the recorded ids and keys in a text.
func (c *comparison) translate(text string) string {
	text = anyID.ReplaceAllStringFunc(text, func(old string) string {
		if now, ok := c.ids[old]; ok {
			return now
		}
		return old
	})
	for was, is := range c.names {
		text = strings.ReplaceAll(text, was, is)
	}
	return text
}

// payloads returns the differences between a recorded body and the present one.
func (c *comparison) payloads(was, is payload) []string {
	if len(was.JSON) == 0 || len(is.JSON) == 0 {
		if (len(was.JSON) > 0) != (len(is.JSON) > 0) {
			return []string{fmt.Sprintf("the body was %.200s and is %.200s", was.data(), is.data())}
		}
		return nil
	}
	return c.values("", decode(was.JSON), decode(is.JSON))
}

// decode decodes valid JSON.
func decode(data jsontext.Value) (v any) {
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err) // cannot happen: newPayload has checked it
	}
	return v
}
