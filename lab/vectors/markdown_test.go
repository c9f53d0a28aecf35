package vectors

import (
	"fmt"
	"strings"

	"uelink/wire/layout"
)

const intro = `# Formats

Made by "make vectors" from the tables in wire/uet and decode. A place is octets of the header: 0[5:0] is
bits 5 to 0 of octet 0, and 8[3:0]+9 goes on in octet 9. A field has the name that the display filter of
Wireshark has for it with deploy/wireshark/uelink.lua. Reserved bits have to be 0.
`

// Markdown returns the tables of all formats as a document.
func Markdown() []byte {
	var b strings.Builder
	b.WriteString(intro)
	for _, f := range allFormats() {
		writeFormat(&b, f)
	}
	return []byte(b.String())
}

func writeFormat(b *strings.Builder, f tableFormat) {
	l := f.format
	dialect := ""
	if f.uet != nil && f.uet.DialectName() != "both" {
		dialect = ", dialect " + f.uet.DialectName()
	}
	fmt.Fprintf(b, "\n## %s: %s\n\n%d octets%s. %s.\n\n| place | bits | field | meaning |\n|---|---|---|---|\n",
		l.Name, l.Title, l.Len, dialect, l.Source)
	for i := range l.Fields {
		field := &l.Fields[i]
		name := "reserved"
		if !field.IsReserved() {
			name = "`" + l.Filter(field) + "`"
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s |\n", field.Place(), field.Bits, name, meaning(field))
	}
}

// meaning returns the text of a field, with its limits, its condition and the names of its values.
func meaning(f *layout.Field) string {
	text := f.Text
	if f.Limits.Set {
		if text += fmt.Sprintf("; %d", f.Limits.Least); f.Limits.Most != f.Limits.Least {
			text += fmt.Sprintf(" to %d", f.Limits.Most)
		}
	}
	if f.Signed {
		text += "; in two's complement"
	}
	if w := f.When; w != (layout.When{}) {
		got := "is"
		if w.Not {
			got = "is not"
		}
		text += fmt.Sprintf("; present if the first 16 bits & %04x %s %04x", w.Mask, got, w.Want)
	}
	var names []string
	for _, n := range f.Names {
		names = append(names, fmt.Sprintf("%d %s", n.Value, n.Name))
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return strings.ReplaceAll(text, "|", "\\|")
}
