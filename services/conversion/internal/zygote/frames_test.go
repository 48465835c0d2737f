package zygote

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	if err := writeFrame(&b, frameConvert, "in", "", "out"); err != nil {
		t.Fatal(err)
	}
	got, err := readFrame(bufio.NewReader(&b))
	if err != nil || got.kind != frameConvert || string(got.payload) != "in\x00\x00out\x00" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, damaged := range []string{"", "D\x00\x00", "D\x00\x00\x00\x02x", "D\xff\xff\xff\xff"} {
		if got, err := readFrame(bufio.NewReader(strings.NewReader(damaged))); err == nil {
			t.Errorf("%q: got %q", damaged, got)
		}
	}
}

func TestEndings(t *testing.T) {
	for payload, want := range map[string]string{
		"0 0 1500 2 ":            "",
		"0 2 1500 2 of no type":  "the document cannot be loaded: of no type",
		"0 3 1500 2 ":            "the PDF cannot be saved: ",
		"0 4 1500 2 no Landlock": "the copy did not start: no Landlock",
		"0 7 1500 2 ":            "the copy exited with code 7: ",
		"1 9 1500 2 ":            "signal 9 ended the copy",
	} {
		end, err := parseEnding([]byte(payload))
		if err != nil || end.cpu != 1500*time.Microsecond || end.peak != 2<<10 {
			t.Errorf("%q: got %+v, %v", payload, end, err)
		}
		got := ""
		if err := end.err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", payload, got, want)
		}
	}
	for _, damaged := range []string{"", "0 0 0", "a b c d e", "0 0 1e3 0 ", "0 0 -1 0 ", "0 0 9300000000000000 0 ", "0 0 0 -1 ", "0 0 0 9100000000000000 "} {
		if end, err := parseEnding([]byte(damaged)); err == nil {
			t.Errorf("%q: got %+v", damaged, end)
		}
	}
}

// FuzzFrames reads frames until the first one that is damaged, as the supervisor does.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("D\x00\x00\x00\x0b0 0 1500 2 R\x00\x00\x00\x00"))
	f.Add([]byte("D\x00\x00\x00\x151 11 -1500 99999999 x"))
	f.Add([]byte("H\x00\x01\x00\x01"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bufio.NewReader(bytes.NewReader(stream))
		for {
			got, err := readFrame(r)
			if err != nil {
				return
			}
			if len(got.payload) > maxPayload {
				t.Fatalf("a payload has %d bytes", len(got.payload))
			}
			if end, err := parseEnding(got.payload); err == nil && (end.cpu < 0 || end.peak < 0) {
				t.Fatalf("%q: got %+v", got.payload, end)
			}
		}
	})
}
