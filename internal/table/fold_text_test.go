package table_test

import (
	"testing"

	"uelink/internal/table"
)

// Lines that are too long are cut, shortened or folded by what they are; words stay whole.
func TestFold(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"short", "a line\nand another", "a line\nand another"},
		{"dashes", "--------------------------------", "--------------------"},
		{"dots", "Name ....................... 1,234", "Name ......... 1,234"},
		{"few dots", "A name that is long .......... 12", "A name that is long\n  ... 12"},
		{"words", "  key: one two three four five", "  key: one two three\n    four five"},
		{"a long word", "see aaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", "see\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n  b"},
		{"a word alone", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		{"wide characters", "µµµµµ µµµµµ µµµµµ µµµµµ", "µµµµµ µµµµµ µµµµµ\n  µµµµµ"},
		{"columns", "a         b         c         d", "a         b\n  c         d"},
	} {
		if got := table.Fold(c.text, 20); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := table.Fold(c.text, 0); got != c.text {
			t.Errorf("%s without a width: %s", c.name, got)
		}
	}
}
