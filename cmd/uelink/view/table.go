// Package view writes the objects of the API as tables, lists and outlines for people.
package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteTable prints a table. It drops the error of writing: the writer is a page in memory, which reports no
// errors.
func WriteTable(w io.Writer, t *table.Table) { _ = t.Write(w) }

// Heading prints a title and a line of dashes below it.
func Heading(w io.Writer, title string) {
	fmt.Fprintf(w, "%s\n%s\n", title, strings.Repeat("-", utf8.RuneCountInString(title)))
}

// Dotted prints a name and its value with dots between them, to guide the eye.
func Dotted(w io.Writer, name, value string) {
	const column = 50
	fmt.Fprintf(w, "%s %s %s\n", name, strings.Repeat(".", max(column-utf8.RuneCountInString(name), 3)), value)
}

// Count returns a number as text, with commas between the thousands.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// text returns any value of the API as text: counts with commas between the thousands, times in local time, lists and
// maps in a line, other values as they print themselves; "-" for an empty value.
func text(v any) string {
	switch v := v.(type) {
	case uint64:
		return Count(v)
	case int64:
		return Count(uint64(max(v, 0)))
	case map[string]uint64:
		return countsText(v)
	case map[string]string:
		return pairsText(v)
	case time.Time:
		return v.Local().Format(time.RFC3339)
	case []string:
		return OrDash(strings.Join(v, ", "))
	default:
		return OrDash(fmt.Sprint(v))
	}
}

// countsText returns the names and values of the counts that are not 0 in one line, by name; "-" for none.
func countsText(counts map[string]uint64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			list = append(list, name+" "+Count(counts[name]))
		}
	}
	return OrDash(strings.Join(list, ", "))
}

// pairsText returns names and values in one line, sorted by name.
func pairsText(pairs map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		list = append(list, name+" "+OrDash(pairs[name]))
	}
	return OrDash(strings.Join(list, ", "))
}

// OrDash returns s, or "-" for an empty cell.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func enabled(on bool) string {
	if on {
		return "enabled"
	}
	return "disabled"
}

// timeout returns the text of a timeout; 0 is "off".
func timeout(d time.Duration) string {
	if d == 0 {
		return "off"
	}
	return d.String()
}

// Details prints a title and every value of an API object, section by section.
func Details(w io.Writer, title string, object any) {
	Heading(w, title)
	WriteFields(w, object)
}

// WriteObjects prints a table of API objects of one type, with a row for each object and a column for each of its
// values.
func WriteObjects[T any](w io.Writer, objects []T) {
	var t table.Table
	for i, object := range objects {
		var cells []string
		for _, f := range api.Fields(object) {
			if i == 0 {
				t.Titles = append(t.Titles, ">"+f.Key)
			}
			cells = append(cells, text(f.Value))
		}
		t.Add(cells...)
	}
	WriteTable(w, &t)
}

// WriteFields prints the values of an API object, each in a line.
func WriteFields(w io.Writer, object any) { writeFieldsBut(w, object) }

// writeFieldsBut prints the values of an API object, except those of the sections in without.
func writeFieldsBut(w io.Writer, object any, without ...string) {
	writeEach(w, object, func(f api.Field) {
		Dotted(w, f.Key, text(f.Value))
	}, without...)
}

// explain prints a title and the values of an API object, each with its meaning below it.
func explain(w io.Writer, title string, object any) {
	Heading(w, title)
	writeEach(w, object, func(f api.Field) {
		Dotted(w, f.Key, text(f.Value))
		meaning(w, f)
	})
}

// meaning prints the help text of a field, indented; nothing if the field has none.
func meaning(w io.Writer, f api.Field) {
	if f.Help != "" {
		fmt.Fprintf(w, "    %s\n", f.Help)
	}
}

// writeEach prints the title of each section of an API object, and calls line for each field of the section. The
// sections in without are left out.
func writeEach(w io.Writer, object any, line func(api.Field), without ...string) {
	section := ""
	for _, f := range api.Fields(object) {
		if slices.Contains(without, f.Section) {
			continue
		}
		if f.Section != section {
			section = f.Section
			fmt.Fprintln(w)
			if section != "" {
				fmt.Fprintf(w, "[%s]\n", section)
			}
		}
		line(f)
	}
}

// writeKeys prints the JSON keys of an API object with their meanings.
func writeKeys(w io.Writer, object any) {
	for _, f := range api.Fields(object) {
		fmt.Fprintln(w, f.Key)
		meaning(w, f)
	}
}
