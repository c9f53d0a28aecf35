package table

import (
	"strings"
	"unicode/utf8"
)

// leastText is the least width of a last column of text, in characters.
const leastText = 24

// parts divides the columns of a table into parts that fit a width in characters; 0: one part. It returns the indexes
// of the columns of each part: the columns that name the row, and as many of the other columns as fit beside these, but
// at least one.
func (t *Table) parts(width int) [][]int {
	widths := t.natural()
	keys := min(max(t.Keys, 1), len(t.Titles))
	part, used := t.keys(keys), 0
	for _, i := range part {
		used += widths[i] + len(gap)
	}
	var parts [][]int
	begin := used
	for i := keys; i < len(t.Titles); i++ {
		if need := t.least(i, widths[i]); width > 0 && used+need > width && len(part) > keys {
			parts = append(parts, part)
			part, used = t.keys(keys), begin
		}
		part = append(part, i)
		used += widths[i] + len(gap)
	}
	return append(parts, part)
}

// keys returns the indexes of the first n columns, which name a row.
func (t *Table) keys(n int) (columns []int) {
	for i := range n {
		columns = append(columns, i)
	}
	return columns
}

// least returns the smallest width that a column may get, in characters; natural is its width without wrapping.
// Only the last column, if it is text, may be narrower than natural.
func (t *Table) least(column, natural int) int {
	if column == len(t.Titles)-1 && !t.right(column) {
		return min(natural, max(leastText, utf8.RuneCountInString(t.title(column))))
	}
	return natural
}

// fit returns the widths of all columns, in characters, for a part of the table with these columns in a total
// width: as wide as the longest cell, but a last column of text gets the width left by the others.
func (t *Table) fit(columns []int, width int) []int {
	widths := t.natural()
	last := columns[len(columns)-1]
	left := width
	for _, i := range columns[:len(columns)-1] {
		left -= widths[i] + len(gap)
	}
	if width > 0 && !t.right(last) {
		widths[last] = min(widths[last], max(left, t.least(last, widths[last])))
	}
	return widths
}

// Wrap folds a text between words to a width in characters, and returns the lines; 0: one line. A word longer than
// the width stays whole.
func Wrap(text string, width int) (lines []string) {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// Paragraph returns a text with each of its lines folded between words to a width in characters; 0: not folded.
func Paragraph(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, Wrap(line, width)...)
	}
	return strings.Join(lines, "\n")
}

// Fold returns a text whose lines fit a width in characters; 0: as it is. A row of dashes is cut, the dots between a
// name and its value become fewer, and other lines are folded between words, with the rest indented. A word longer than
// the width stays whole.
func Fold(text string, width int) string {
	if width <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) > width {
			lines[i] = foldLine(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

// fewest is the least number of dots between a name and its value.
const fewest = 3

// foldLine folds a line at spaces to a width. Every part after the first is indented by two more columns. Lines of
// dashes are cut, and rows of leading dots are shortened first.
func foldLine(line string, width int) string {
	if strings.Trim(line, "-") == "" {
		return line[:width]
	}
	for utf8.RuneCountInString(line) > width && strings.Contains(line, strings.Repeat(".", fewest+1)) {
		line = strings.Replace(line, strings.Repeat(".", fewest+1), strings.Repeat(".", fewest), 1)
	}
	indent := strings.Repeat(" ", min(len(line)-len(strings.TrimLeft(line, " "))+2, width/2))
	var folded strings.Builder
	for utf8.RuneCountInString(line) > width {
		at := breakAt(line, width)
		if at == 0 {
			break
		}
		folded.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	folded.WriteString(line)
	return folded.String()
}

// breakAt returns the offset of the blank at which to fold a line, behind its indentation: the last one at which the
// line fits the width, else the first one behind the width; 0 without a blank.
func breakAt(line string, width int) int {
	begin := len(line) - len(strings.TrimLeft(line, " "))
	last, n := 0, 0
	for i, r := range line {
		if r == ' ' && i > begin {
			if n > width && last > 0 {
				return last
			}
			last = i
			if n > width {
				return last
			}
		}
		n++
	}
	return last
}
