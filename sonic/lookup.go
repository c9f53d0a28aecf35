package sonic

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

// Lookup is llr_profile_lookup.ini: LLR profiles by the speed of a port, in Mb/s, and the length of its cable.
type Lookup map[Cabling]Row

// Cabling is a key of the lookup table.
type Cabling struct{ Speed, Cable string }

// profile returns the name of the LLR profile for this speed and cable length: "llr_SPEED_CABLE_profile".
func (c Cabling) profile() string { return "llr_" + c.Speed + "_" + c.Cable + "_profile" }

// ParseLookup parses the text of llr_profile_lookup.ini, a table of LLR profiles by speed and cable length. The first
// line that is no comment names the columns: speed, cable, and fields of LLR_PROFILE in any order, by their short or
// full names. "-" stands for a field without a value. A line with an error is ignored and reported; name names the file
// in the problems.
func ParseLookup(name, text string) (Lookup, []Problem) {
	l := &lookupReader{name: name, lookup: Lookup{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		l.line++
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if l.columns == nil {
			if !l.header(words) {
				return l.lookup, l.problems
			}
			continue
		}
		l.entry(words)
	}
	if err := lines.Err(); err != nil {
		l.add("", "%v", err)
	}
	return l.lookup, l.problems
}

// lookupReader is the state of ParseLookup.
type lookupReader struct {
	name     string   // of the file
	line     int      // number of the present line, from 1
	columns  []string // field of LLR_PROFILE in each column; "" for speed, cable and an unknown column
	lookup   Lookup
	problems []Problem
}

// add adds a problem with a field of the present line; an empty field means the line as a whole.
func (l *lookupReader) add(field, format string, args ...any) {
	l.problems = append(l.problems, Problem{
		Key: fmt.Sprintf("%s:%d", l.name, l.line), Field: field, Text: fmt.Sprintf(format, args...),
	})
}

// header reads the names of the table's columns from the words of the first line, and reports whether they begin with
// speed and cable, without which the table cannot be read.
func (l *lookupReader) header(words []string) bool {
	if len(words) < 2 || words[0] != "speed" || words[1] != "cable" {
		l.add("", "the first line must name the columns, and begin with speed and cable: no profile is read")
		return false
	}
	l.columns = make([]string, len(words))
	for i, word := range words[2:] {
		at := slices.IndexFunc(profileFields, func(f profileField) bool { return f.alias == word || f.name == word })
		switch {
		case at >= 0:
			l.columns[i+2] = profileFields[at].name
		case word == "data_age_timer": // name of the column in a sample file of SONiC
			l.columns[i+2] = "data_age_timeout"
		default:
			l.add(word, "this column is unknown, and ignored")
		}
	}
	return true
}

// entry reads a line of the table, the LLR profile for a speed and a cable length. A line with an error is ignored and
// reported.
func (l *lookupReader) entry(words []string) {
	if len(words) != len(l.columns) {
		l.add("", "the line has %d values for %d columns, and is ignored", len(words), len(l.columns))
		return
	}
	c := Cabling{words[0], words[1]}
	if _, twice := l.lookup[c]; twice {
		l.add("", "an earlier line is for speed %s and cable %s, too: this line is ignored", c.Speed, c.Cable)
		return
	}
	row := Row{}
	for i, field := range l.columns {
		if field != "" && words[i] != "-" {
			row[field] = words[i]
		}
	}
	var wrong problems
	if _, _, ok := parseProfile(Key{}, row, &wrong); !ok {
		for _, p := range wrong.now {
			l.add(p.Field, "%s: this line is ignored", p.Text)
		}
		return
	}
	l.lookup[c] = row
}
