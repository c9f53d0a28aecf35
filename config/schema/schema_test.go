package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// color is a value that is written as a word.
type color uint8

func (c color) String() string { return [...]string{"red", "green"}[c] }

// room and house are what the tests read documents into.
type (
	room struct {
		name string
		wide int
	}
	house struct {
		color  color
		lit    bool
		ring   int
		chunk  int
		delay  time.Duration
		memory int64
		rate   uint64
		door   room
		rooms  []room
		guests map[string]room
		floors []uint8
		keys   []Pair[uint8]
		maps   map[string][]Pair[uint8]
	}
)

func roomKeys() Section[room] {
	return Section[room]{
		Required("name", Name(), "Name of the room.", func(r *room) *string { return &r.name }),
		Value("wide", Whole(1, 9), "3", "Metres.", func(r *room) *int { return &r.wide }),
	}
}

func houseKeys() Section[house] {
	hook := PairKind[uint8]{Element: "HOOK", Numbers: Numbers("a hook", 9), Value: Whole[uint8](0, 200),
		Meaning: "Its key."}
	return append(Section[house]{
		Value("color", Choice(color(0), color(1)), "green", "Of its walls.", func(h *house) *color { return &h.color }),
		Value("ring", PowerOfTwo(2, 8), "4", "Bells.", func(h *house) *int { return &h.ring }),
		Value("chunk", OrAuto(OneOf(2048, 4096)), "auto", "Bricks.", func(h *house) *int { return &h.chunk }),
		Value("delay", Duration(0, time.Minute), "50us", "Of the bell.", func(h *house) *time.Duration { return &h.delay }),
		Value("memory", Size(1, 1<<20), "64KiB", "Of the house.", func(h *house) *int64 { return &h.memory }),
		Value("rate", BitRate(), "0", "Of its line.", func(h *house) *uint64 { return &h.rate }),
		Nested("door", "The room behind the door.", roomKeys()[1:], func(h *house) *room { return &h.door }),
		List("rooms", "The rooms.", roomKeys(), func(h *house) *[]room { return &h.rooms }),
		Named("guests", "Rooms of guests.", roomKeys(), func(h *house) *map[string]room { return &h.guests }),
		Scalars("floors", Whole[uint8](0, 9), 2, "1 2", "Two floors.", func(h *house, list []uint8) { h.floors = list }),
		Pairs("keys", hook, "Which key is where.", func(h *house) *[]Pair[uint8] { return &h.keys }),
		NamedPairs("maps", hook, "The same by name.", func(h *house) *map[string][]Pair[uint8] { return &h.maps }),
	}, Within(Section[bool]{
		Value("lit", Either("dark", "light"), "dark", "Whether it is lit.", func(b *bool) *bool { return b }),
	}, func(h *house) *bool { return &h.lit })...)
}

// decode reads a document; problems are empty where it is right.
func decode(t *testing.T, text string) (h house, problems string) {
	t.Helper()
	w, _ := houseKeys().Decode([]byte(text), &h)
	if err := w.Err("f"); err != nil {
		return h, err.Error()
	}
	return h, ""
}

// What is left out has its default, and what is there its value.
func TestDecode(t *testing.T) {
	got, problems := decode(t, `color: red
ring: 8
chunk: 4096
memory: 1.5KiB
rate: 2.5Mbps
lit: light
door: {wide: 5}
rooms: [{name: a}, {name: b, wide: 1}]
guests: {g: {name: c}}
floors: [3, 4]
keys: {0-3: 1, 4: 2}
maps: {m: {"0": 7}}`)
	if problems != "" {
		t.Fatal(problems)
	}
	want := house{
		color: 0, lit: true, ring: 8, chunk: 4096, delay: 50 * time.Microsecond, memory: 1536, rate: 2.5e6,
		door: room{wide: 5}, rooms: []room{{"a", 3}, {"b", 1}}, guests: map[string]room{"g": {"c", 3}}, floors: []uint8{3, 4},
	}
	if len(got.keys) != 2 || got.keys[0].Span != (Span{First: 0, Last: 3}) || got.maps["m"][0].Value != 7 {
		t.Errorf("keys %+v, maps %+v", got.keys, got.maps)
	}
	got.keys, got.maps = nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(house{}, room{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each problem is told where it stands, all of them in one pass.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"colour: red":               "f:1:1: colour: unknown key: did you mean color?",
		"color: blue":               `f:1:8: color: "blue" is not one of red, green`,
		"ring: 3":                   "f:1:7: ring: 3 is not a power of two, 2 to 8",
		"chunk: 1":                  "f:1:8: chunk: 1 is not one of 2048, 4096, and not auto",
		"delay: 2m":                 "f:1:8: delay: 2m is out of range: 0 to 1m",
		"memory: 2MiB":              "f:1:9: memory: 2MiB is out of range: 1 to 1048576 octets",
		"rate: 5":                   `f:1:7: rate: "5" is not a rate: write a number and a unit, such as 100Mbps or 2.5Gbps`,
		"door: 1":                   "f:1:7: door: keys with values are expected here, not a number",
		"rooms: a":                  "f:1:8: rooms: a list is expected here, not text",
		"rooms: [{wide: 2}]":        "f:1:9: rooms[0].name: this key is required",
		"guests: {-a: {name: b}}":   `f:1:10: guests.-a: "-a" is not a name: letters, digits, '-', '_' and '.', with a letter, digit or '_' first`,
		"floors: [1]":               "f:1:9: floors: 2 values are expected here, not 1",
		"floors: [1, x]":            `f:1:13: floors[1]: "x" is not a whole number`,
		"keys: {0-3: 1, 2: 1}":      "f:1:16: keys.2: this is already in line 1",
		"keys: {12: 1}":             `f:1:8: keys.12: "12" is not a hook: write 0 to 9, or a range such as 4-9`,
		"keys: {1: 201}":            "f:1:11: keys.1: 201 is out of range: 0 to 200",
		"color: red\ncolor: red":    "f:2:1: color: this key is already there in line 1",
		"color: [red]\nring: other": "f:1:8: color: a single value is expected here, not a list\nf:2:7: ring: \"other\" is not a whole number",
		"lit: *here":                `f:1:6: lit: the YAML alias names an anchor that does not exist: "here"`,
		"--- {}\n--- {}":            "f:2:5: a second document: only one is expected",
	} {
		if _, got := decode(t, text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// The walk knows where values stand, what is wrong, and takes the problems of whoever checks more.
func TestWalk(t *testing.T) {
	var h house
	w, readable := houseKeys().Decode([]byte("color: red\nrooms:\n  - name: a\n    wide: 20\n"), &h)
	if !readable || w.Right() {
		t.Fatalf("readable %t, right %t", readable, w.Right())
	}
	if !w.Has("rooms[0].name") || w.Has("ring") {
		t.Error("what the document gives a value for is not known")
	}
	if !w.Wrong("rooms") || !w.Wrong("rooms[0].wide") || w.Wrong("color") || w.Wrong("room") {
		t.Error("what is wrong is not known")
	}
	if place := w.Place("rooms[0].wide"); place != "line 4" {
		t.Errorf("rooms[0].wide stands in %s, not line 4", place)
	}
	w.FailAt("rooms[0].lamp", "there is no lamp")
	var e *Error
	err := w.Err("f")
	if !errors.As(err, &e) || len(e.Problems) != 2 || e.Problems[0].Line != 3 || e.ExitCode() != ExitCode {
		t.Errorf("%v: a key that is not there is told where what it belongs to begins", err)
	}
	if w, readable := houseKeys().Decode([]byte("{"), &h); readable || w.Right() {
		t.Error("half a document is readable")
	}
}

// An exact pair wins over a range.
func TestFill(t *testing.T) {
	into := make([]int, 5)
	Fill(into, []Pair[int]{{Span: Span{First: 0, Last: 3}, Value: 1},
		{Span: Span{First: 2, Last: 2, Exact: true}, Value: 2}})
	if want := []int{1, 1, 2, 1, 0}; !slices.Equal(into, want) {
		t.Errorf("%v, want %v", into, want)
	}
}

// The reference has a row for each key, with those of lists and names below them.
func TestReference(t *testing.T) {
	rows := strings.Split(houseKeys().Reference("paint", func(key string) string { return "a pot of " + key }), "\n")
	for _, want := range []string{
		"| `color` | red, green | `green` | Of its walls. | a pot of color |",
		"| `door` | keys |  | The room behind the door. |  |",
		"| `rooms[].name` | name | required | Name of the room. | a pot of rooms[].name |",
		"| `guests.NAME.wide` | 1 to 9 | `3` | Metres. | a pot of guests.NAME.wide |",
		"| `floors` | list of: 0 to 9 | `[1, 2]` | Two floors. | a pot of floors |",
		"| `maps.NAME.HOOK` | 0 to 200 |  | Its key. | a pot of maps.NAME.HOOK |",
		"| `lit` | dark, light | `dark` | Whether it is lit. | a pot of lit |",
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("the reference has no row %s", want)
		}
	}
	if keys := houseKeys().Keys(); keys[0] != "color" || keys[len(keys)-1] != "lit" {
		t.Errorf("keys %v", keys)
	}
}

// A panic of the parser is an error of the document.
func TestPanicOfTheParser(t *testing.T) {
	var none *Walk // its first problem panics
	_, err := none.parse([]byte("a: &a 1\nb: &a 2\n"))
	if err == nil || !strings.Contains(err.Error(), "the YAML parser has failed") {
		t.Errorf("%v", err)
	}
}

// Depth is bounded before the parser descends, in lists and in mappings of either form.
func TestDepth(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", MaxDepth+1), strings.Repeat("{a: ", MaxDepth+1), strings.Repeat("- ", MaxDepth+1),
		strings.Repeat("? ", MaxDepth+1),
	} {
		want := "more than 32 lists and mappings inside each other"
		if _, got := decode(t, text); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	deep := "rooms: " + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1)
	if _, got := decode(t, deep); strings.Contains(got, "inside each other") {
		t.Errorf("a depth that is allowed: %s", got)
	}
	if _, got := decode(t, `color: "`+strings.Repeat("[", 1000)+`"`); strings.Contains(got, "inside each other") {
		t.Errorf("brackets in quotes: %s", got)
	}
}

// The values that aliases and merge keys repeat are bounded, too: 1,000 keys in 2,000 places are not all read.
func TestAliasesRepeat(t *testing.T) {
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, "x%d: 1, ", i)
	}
	for form, each := range map[string]string{"aliases": "*g", "merge keys": "{<<: *g}"} {
		var text strings.Builder
		fmt.Fprintf(&text, "guests:\n  g: &g {%s}\n", keys.String())
		for i := range 2000 {
			fmt.Fprintf(&text, "  g%d: %s\n", i, each)
		}
		var h house
		w, _ := houseKeys().Decode([]byte(text.String()), &h)
		if problems := w.more + len(w.problems); problems < 10000 || problems > maxValues {
			t.Errorf("%s: %d problems, one for each key that was read", form, problems)
		}
	}
}

// Keys of another document are a mapping without aliases and merge keys, whose values have their places.
func TestKeys(t *testing.T) {
	type outer struct{ inner *yaml.Node }
	keys := Section[outer]{Keys("inner", "Keys of others.", func(o *outer) **yaml.Node { return &o.inner })}
	read := func(text string) (o outer, w *Walk) {
		w, _ = keys.Decode([]byte(text), &o)
		return o, w
	}
	o, w := read("inner:\n  a: &x {b: 1, c: [x, '5']}\n  d: {<<: *x, b: 2}\n")
	if err := w.Err("f"); err != nil {
		t.Fatal(err)
	}
	got, err := yaml.Dump(o.inner)
	if err != nil || string(got) != "a: {b: 1, c: [x, '5']}\nd: {b: 2, c: [x, '5']}\n" {
		t.Errorf("%v: %s", err, got)
	}
	if w.Place("inner.d.b") != "line 3" || w.Place("inner.a.c[1]") != "line 2" || !w.Has("inner.d.c[0]") {
		t.Error("the values have no places")
	}
	if o, w := read("{}"); o.inner != nil || w.Err("f") != nil {
		t.Errorf("left out: %v", o.inner)
	}
	for text, want := range map[string]string{
		"inner: [1]":               "f:1:8: inner: keys with values are expected here, not a list",
		"inner: {a: 1, a: 2}":      "f:1:15: inner.a: this key is already there in line 1",
		"inner: {a: !x 1}":         "f:1:12: inner.a: YAML tags are not supported",
		"inner: &x {a: {b: *x}}":   "more than 32 lists and mappings inside each other",
		"inner: {a: [*no]}":        `f:1:13: inner.a[0]: the YAML alias names an anchor that does not exist: "no"`,
		"inner: {a: {b: 1, b: 2}}": "f:1:19: inner.a.b: this key is already there in line 1",
	} {
		if _, w := read(text); w.Err("f") == nil || !strings.Contains(w.Err("f").Error(), want) {
			t.Errorf("%s: %v", text, w.Err("f"))
		}
	}
}
