package edit_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/config/edit"
)

// A value is replaced or added, and all else stays, comments and layout included.
func TestSet(t *testing.T) {
	for _, c := range []struct{ name, text, place, value, want string }{
		{"a scalar", "a: 1 # one\nb: 2\n", "a", "3", "a: 3 # one\nb: 2\n"},
		{"a scalar in quotes", "a: \"x \\\" # y\" # one\nb: 'it''s'\n", "a", "z", "a: z # one\nb: 'it''s'\n"},
		{"another one", "a: \"x\"\nb: 'it''s' # c\n", "b", "z", "a: \"x\"\nb: z # c\n"},
		{"a list", "a: [1, 2] # one\nb: 2\n", "a", "[3]", "a: [3] # one\nb: 2\n"},
		{"an empty list", "a: {b: [], c: 1}\n", "a b", "[3, 4]", "a: {b: [3, 4], c: 1}\n"},
		{"a list over lines", "a: [1,\n  2]\nb: 2\n", "a", "[3]", "a: [3]\nb: 2\n"},
		{"a scalar behind others", "ä: {ö: ü, b: 2}\n", "ä b", "3", "ä: {ö: ü, b: 3}\n"},
		{"a nested scalar", "a:\n  b:\n    c: 1\n", "a b c", "2", "a:\n  b:\n    c: 2\n"},
		{"an element", "l:\n  - {name: x, v: 1}\n  - {name: y, v: 1}\n", "l name=y v", "2",
			"l:\n  - {name: x, v: 1}\n  - {name: y, v: 2}\n"},
		{"a key that is missing", "a: 1\nb: 2\n", "c", "3", "a: 1\nc: 3\nb: 2\n"},
		{"below a comment", "a: 1\n# of b\n\n# and more\nb: 2\n", "c", "3", "a: 1\nc: 3\n# of b\n\n# and more\nb: 2\n"},
		{"beside a single key", "a:\n  b: 1\n", "a c", "3", "a:\n  c: 3\n  b: 1\n"},
		{"in an element", "l:\n  - name: x\n    v: 1\n", "l name=x w", "2", "l:\n  - name: x\n    w: 2\n    v: 1\n"},
		{"in an element with one key", "l:\n- name: x\n", "l name=x w", "2", "l:\n- w: 2\n  name: x\n"},
		{"in braces", "l: [{name: x, v: 1}] # c\n", "l name=x w", "2", "l: [{name: x, w: 2, v: 1}] # c\n"},
		{"in braces over lines", "l: {name: x,\n   v: 1}\n", "l w", "2", "l: {name: x,\n   w: 2, v: 1}\n"},
		{"in empty braces", "a: {}\n", "a b c", "2", "a: {b: {c: 2}}\n"},
		{"below the comment of a section", "a: 1\nl:\n  # of x\n  x: 1\n  y: 2\n", "l w", "2",
			"a: 1\nl:\n  w: 2\n  # of x\n  x: 1\n  y: 2\n"},
		{"in braces without a name", "l: {x: 1, v: 1}\n", "l w", "2", "l: {w: 2, x: 1, v: 1}\n"},
		{"a list that is missing", "a: {b: 1}\n", "a vcs index=0 lossless", "true",
			"a: {vcs: [{index: 0, lossless: true}], b: 1}\n"},
		{"an element that is missing", "l:\n  - {index: 0}\n", "l index=1 on", "true",
			"l:\n  - {index: 1, on: true}\n  - {index: 0}\n"},
		{"an element between brackets", "l: [{index: 0}]\n", "l index=1 on", "true", "l: [{index: 1, on: true}, {index: 0}]\n"},
		{"without an end of the last line", "a: 1\nb: 2", "c d", "3", "a: 1\nc: {d: 3}\nb: 2"},
		{"with marks of a document", "---\na: 1\n", "b", "2", "---\nb: 2\na: 1\n"},
		{"with ends of lines of another system", "a: 1\r\nb: 2\r\n", "b", "3", "a: 1\r\nb: 3\r\n"},
	} {
		got, err := edit.Set([]byte(c.text), strings.Fields(c.place), c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
		var v any
		if err := yaml.Unmarshal(got, &v); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
	}
}

// What stands for more than one place, or has another form, is left as it is.
func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ text, place, want string }{
		{"a: &x {b: 1}\nc: *x\n", "a b", "a: the value has the anchor &x"},
		{"a: &x {b: 1}\nc: *x\n", "c b", "c: the value is the alias *x"},
		{"a: &x 1\nc: *x\n", "c", "neither a scalar nor a list of plain scalars"},
		{"a: &x 1\nc: *x\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: 1\n", "a b", "a: the value has no keys"},
		{"a:\nb: 1\n", "a b", "a: the value has no keys"},
		{"a:\n  - 1\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: &x [1]\nc: *x\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: ['1]']\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: [&x 1]\nc: *x\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: [[1]]\n", "a", "neither a scalar nor a list of plain scalars"},
		{"a: [1, # ]\n  2]\n", "a", "the value in line 1 has a YAML form"},
		{"a: |\n  x\n", "a", "the value in line 1 has a YAML form"},
		{"a: \"x\n  y\"\n", "a", "the value in line 1 has a YAML form"},
		{"", "a", "the document has no content"},
		{"a: [", "a", "yaml: line"},
	} {
		if got, err := edit.Set([]byte(c.text), strings.Fields(c.place), "2"); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %s: %q, %v, want %q", c.text, c.place, got, err, c.want)
		}
	}
}

// Whatever the document, nothing panics, and a value that was set is read back.
func FuzzSet(f *testing.F) {
	for _, text := range []string{
		"a: {b: 1}\n", "a:\n  b: 1\n", "a: &x [{b: 1}]\nc: *x\n", "ä: 'b'\n# c\n", "a: \"\\\"\"\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := edit.Set([]byte(text), []string{"a", "b"}, "2")
		if err != nil {
			return
		}
		var v struct{ A struct{ B any } }
		if err := yaml.Unmarshal(got, &v); err == nil && v.A.B != 2 {
			t.Errorf("%q became %q: %v", text, got, v.A.B)
		}
	})
}
