package manualtest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A table of a document becomes rows, with bars in cells; what follows is not of the table.
func TestRows(t *testing.T) {
	const document = `# Title

## Exit codes

| code | program | meaning |
|---|---|---|
| 0 | all | fine |
| 141 | ` + "`uelink`" + ` | nobody reads (` + "`a \\| b`" + `) |

After the table.

| another |
|---|
| one |

## Files
`
	want := [][]string{{"0", "all", "fine"}, {"141", "`uelink`", "nobody reads (`a | b`)"}}
	if diff := cmp.Diff(want, Rows(Part(t, document, "## Exit codes"))); diff != "" {
		t.Error(diff)
	}
	if rows := Rows("no table\n"); rows != nil {
		t.Errorf("of no table: %q", rows)
	}
}

// A page has its title, links as their text, and no empty line outside of an example.
func TestPage(t *testing.T) {
	page := string(Page{Name: "uelink.yaml", Section: 5, Summary: "configuration",
		Text: "# DESCRIPTION\nSee [the limits](x.md#limits).\n\nA second part.\n\n```\nan\n\nexample\n```\n\n" + Definition("`a-b`", "A key."),
	}.Roff(t))
	for _, want := range []string{
		`.TH "UELINK.YAML" "5"`, `uelink.yaml \- configuration`, "See the limits.\n", "an\n\nexample\n", ".TP\n\\fBa-b\\fR\nA key.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "\n\n"); n != 1 {
		t.Errorf("%d empty lines:\n%s", n, page)
	}
}

// Further sections stand before SEE ALSO, or at the end of a page by cobra, which gets a date, a dash and terms.
func TestInsert(t *testing.T) {
	date := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
	const before = ".TH \"A\" \"1\" \"Nov 2026\" \"u\" \"u\"\n\n.SH NAME\na - b - c\n\n.SH OPTIONS\n" +
		"\\fB-a\\fP\n\tof a\n\n.PP\n\\fB-b\\fP\n\tof b\n"
	const after = ".TH \"A\" \"1\" \"2026-11-29\" \"u\" \"u\"\n.SH NAME\na \\- b - c\n.SH OPTIONS\n" +
		".TP\n\\fB-a\\fP\nof a\n.TP\n\\fB-b\\fP\nof b\n.SH FILES\nf\n"
	for page, want := range map[string]string{
		before: after, before + "\n.SH SEE ALSO\nb\n": after + ".SH SEE ALSO\nb\n",
	} {
		if diff := cmp.Diff(want, string(Insert([]byte(page), date, "# FILES\nf\n"))); diff != "" {
			t.Error(diff)
		}
	}
}

// The date of a page is the commit's where make has said it.
func TestDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if got := Date(t).Format(time.RFC3339); got != "2023-11-14T22:13:20Z" {
		t.Error(got)
	}
}
