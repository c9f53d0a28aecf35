package vectors

import (
	"bytes"
	"fmt"
	"strings"

	"uelink/wire"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// Marks in the dissector around its tables.
const (
	luaBegin = "-- Tables: made by `make vectors`, not by hand.\n"
	luaEnd   = "-- End of the tables.\n"
)

// WithTables returns the text of the dissector, with the tables of all formats between the marks.
func WithTables(text []byte) ([]byte, error) {
	head, rest, ok := bytes.Cut(text, []byte(luaBegin))
	_, tail, ends := bytes.Cut(rest, []byte(luaEnd))
	if !ok || !ends {
		return nil, fmt.Errorf("the dissector has no lines %q and %q", luaBegin, luaEnd)
	}
	return bytes.Join([][]byte{head, []byte(luaBegin), luaTables(), []byte(luaEnd), tail}, nil), nil
}

// luaTables returns the tables of Lua: the names of values, and the formats.
func luaTables() []byte {
	w := luaWriter{index: map[string]int{}}
	var formats strings.Builder
	for _, f := range allFormats() {
		formats.WriteString(w.format(f))
	}
	next := [2]int{w.namesIndex(uet.NextHeaderNames(wire.DialectSeed)),
		w.namesIndex(uet.NextHeaderNames(wire.DialectUE1))}
	var b bytes.Buffer
	fmt.Fprintf(&b, "local names = {\n%s}\n", w.names.String())
	fmt.Fprintf(&b, "local next_headers = {[0]=names[%d], names[%d]}\n", next[0], next[1])
	fmt.Fprintf(&b, "local formats = {\n%s}\n", formats.String())
	return b.Bytes()
}

// luaWriter writes tables of Lua and keeps each list of names once.
type luaWriter struct {
	names strings.Builder
	index map[string]int
}

// namesIndex returns the number of a list of names, from 1; 0 for an empty list.
func (w *luaWriter) namesIndex(n layout.Names) int {
	if len(n) == 0 {
		return 0
	}
	var b strings.Builder
	for _, name := range n {
		fmt.Fprintf(&b, "[%d]=%q, ", name.Value, name.Name)
	}
	text := strings.TrimSuffix(b.String(), ", ")
	if w.index[text] == 0 {
		w.index[text] = len(w.index) + 1
		fmt.Fprintf(&w.names, "  {%s},\n", text)
	}
	return w.index[text]
}

func (w *luaWriter) format(f tableFormat) string {
	var b strings.Builder
	l := f.format
	fmt.Fprintf(&b, "  {name=%q, prefix=%q, title=%q, len=%d", l.Name, l.Prefix, l.Title, l.Len)
	if f.uet != nil {
		fmt.Fprintf(&b, ", %s", luaChoice(f.uet))
	}
	b.WriteString(", fields={\n")
	for i := range l.Fields {
		fmt.Fprintf(&b, "    %s,\n", w.field(&l.Fields[i]))
	}
	b.WriteString("  }},\n")
	return b.String()
}

// luaChoice returns the condition that selects a format of UET, as fields of Lua.
func luaChoice(f *uet.Format) string {
	layers := [...]string{"entropy", "tss", "pds", "ses", "extension"}
	text := fmt.Sprintf("layer=%q, dialects=%d, type=%d, carries={%s, %s}, next=%d, opcodes=%s",
		layers[f.Layer], f.Dialects, f.Type, bits(uint64(f.Carries[0])), bits(uint64(f.Carries[1])), f.NextHeader,
		bits(uint64(f.Opcodes)))
	if f.Atomic != 0 {
		text += ", atomic=" + bits(uint64(f.Atomic))
	}
	return text + luaWhen(f.When)
}

// bits returns a set as a table of Lua with the members as keys.
func bits(set uint64) string {
	var list []string
	for i := range 64 {
		if set>>i&1 != 0 {
			list = append(list, fmt.Sprintf("[%d]=1", i))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

func luaWhen(w layout.When) string {
	if w == (layout.When{}) {
		return ""
	}
	return fmt.Sprintf(", when={0x%04x, 0x%04x, %v}", w.Mask, w.Want, w.Not)
}

// field returns a field as a table of Lua: name, first bit, bits, meaning, and options.
func (w *luaWriter) field(f *layout.Field) string {
	text := fmt.Sprintf("{%q, %d, %d, %q", f.Name, f.At, f.Bits, f.Text)
	if n := w.namesIndex(f.Names); n != 0 {
		text += fmt.Sprintf(", names=%d", n)
	}
	if f.Limits.Set {
		text += fmt.Sprintf(", least=%d, most=%d", f.Limits.Least, f.Limits.Most)
	}
	if f.Signed {
		text += ", signed=true"
	}
	return text + luaWhen(f.When) + "}"
}
