package config

import "strings"

// row is one key of the reference.
type row struct{ path, values, def, meaning string }

// rows lists the keys of a section and of what is below them.
func (s section[T]) rows(path string) []row {
	var all []row
	for _, f := range s {
		at := join(path, f.key)
		all = append(all, row{at, f.values, f.shownDefault(), f.meaning})
		all = append(all, f.rows(at)...)
	}
	return all
}

func (f field[T]) shownDefault() string {
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

// Reference is every key with its values, default and meaning, as a table in
// Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | values | default | meaning |\n|---|---|---|---|\n")
	for _, r := range section[document](rootFields()).rows("") {
		b.WriteString("| `" + r.path + "` | " + r.values + " | " + r.def + " | " + r.meaning + " |\n")
	}
	return b.String()
}
