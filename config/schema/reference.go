package schema

import "strings"

// Row is one key of the reference.
type Row struct{ Path, Values, Default, Meaning string }

// Rows returns a row of the reference (path, values, default, meaning) for each key of a section and for all keys
// below them.
func (s Section[T]) Rows(path string) []Row {
	var all []Row
	for _, f := range s {
		at := Join(path, f.Key)
		all = append(all, Row{at, f.values, f.shownDefault(), f.meaning})
		all = append(all, f.rows(at)...)
	}
	return all
}

// shownDefault returns the default as the reference shows it.
func (f Field[T]) shownDefault() string {
	switch {
	case f.required:
		return "required"
	case f.values == "keys":
		return ""
	case f.def == "":
		return "empty"
	}
	return "`" + f.def + "`"
}

// Reference returns a table in Markdown: a row for every key with its values, default and meaning, and a last column
// titled column, whose text the function text returns for each key.
func (s Section[T]) Reference(column string, text func(key string) string) string {
	var b strings.Builder
	b.WriteString("| key | values | default | meaning | " + column + " |\n|---|---|---|---|---|\n")
	for _, r := range s.Rows("") {
		more := ""
		if r.Values != "keys" {
			more = text(r.Path)
		}
		b.WriteString("| `" + r.Path + "` | " + r.Values + " | " + r.Default + " | " + r.Meaning + " | " + more +
			" |\n")
	}
	return b.String()
}
