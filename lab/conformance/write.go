package conformance

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"uelink/lab/traffic"
)

// WriteCSV writes all results as CSV, below the column titles of the standard's record.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{columns()}
	for i := range r.Results {
		rows = append(rows, r.Results[i].row())
	}
	return c.WriteAll(rows)
}

// WriteTable prints a line with the verdict for each case and kind of ends, then every failed result, and the
// totals.
func (r *Report) WriteTable(w io.Writer) error {
	titles := map[string]string{}
	for _, c := range Cases() {
		titles[c.ID] = c.Title
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, v := range r.verdicts() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.scenario, v.ends, v, titles[v.scenario])
	}
	failed := 0
	for i := range r.Results {
		result := &r.Results[i]
		if result.Passed() {
			continue
		}
		failed++
		fmt.Fprintf(t, "FAIL %s\t%s\tsize %s\t%s: expected %s, measured %s\n",
			result.Scenario, result.Notes, result.size(), result.TestCase, result.Expected, result.Measured)
	}
	passed, cases := r.cases()
	fmt.Fprintf(t, "%d of %d cases pass, %d of %d values are as expected\n",
		passed, cases, len(r.Results)-failed, len(r.Results))
	return t.Flush()
}

// WriteMarkdown writes the table of cases with their verdicts as Markdown. The table has no times and no measured
// values, so two runs of the same code write the same text.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownHead)
	passed, cases := r.cases()
	fmt.Fprintf(&b, "%d of %d cases pass.\n\n", passed, cases)
	b.WriteString("| case | ends | verdict | |\n|---|---|---|---|\n")
	for _, v := range r.verdicts() {
		b.WriteString(v.row())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteValues writes every expected and measured value as Markdown, a section for each case and kind of ends.
func (r *Report) WriteValues(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Values of the conformance cases\n")
	for _, v := range r.verdicts() {
		fmt.Fprintf(&b, "\n## %s, %s\n\n%s.\n", v.scenario, v.ends, titleOf(v.scenario))
		writeRows(&b, r.grouped(v))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row returns the verdict as a Markdown row of the table of cases.
func (v verdict) row() string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", v.scenario, v.ends, v, titleOf(v.scenario))
}

// markdownHead is the beginning of the page that WriteMarkdown writes, before the verdicts.
const markdownHead = `# Conformance

The results of ` + "`make conformance`" + `: the cases of SONiC's scale-up test standard (draft 0.4) against two
ends of uelink. A count passes if it is equal; a value with a unit passes within 5 % of theory. Sizes are
octets with FCS, as testers count.

` + "`make conformance`" + ` writes this page and, beside it, conformance-values.md with the expected and measured
values of each case; conformance.csv and conformance.json have the values with their times. One case alone,
without root:

    bin/uelink conformance --ends memory --only LLR-04 --report /tmp/report    # /tmp/report-values.md

Ends ` + "`memory`" + `: the daemon's frame path over a wire in memory on a virtual clock. The wire drops exactly
the frame and holds exactly the LLR_ACK or CC_Update named by the case, has a rate, and carries frames
beyond veth's MTU. Ends ` + "`veth`" + `: two daemons in network namespaces, joined by ` + "`uelink cable`" + `.
A sends, B receives; with several senders, B is a bridge. The hosts of CBFC cases obey PFC of their edge
ports. A stalled host stops its edge port by PFC; a host that drains at a rate has an edge port of that rate.

`

// titleOf returns the title of the case with this ID; "" for an unknown ID.
func titleOf(scenario string) string {
	for _, c := range Cases() {
		if c.ID == scenario {
			return c.Title
		}
	}
	return ""
}

// group is a set of rows that differ only in frame size.
type group struct {
	Result
	sizes []string
}

// grouped returns the results of the verdict's case and kind of ends; results that differ only in frame size
// become one group with the list of sizes.
func (r *Report) grouped(v verdict) (list []group) {
	for i := range r.Results {
		result := r.Results[i]
		if result.Scenario != v.scenario || result.ends() != v.ends {
			continue
		}
		size := result.size()
		at := slices.IndexFunc(list, func(g group) bool { return g.same(&result) })
		if at < 0 {
			list = append(list, group{Result: result})
			at = len(list) - 1
		}
		if size != "" {
			list[at].sizes = append(list[at].sizes, size)
		}
	}
	return list
}

// same reports whether a result differs from those of the group only in frame size and time.
func (g *group) same(r *Result) bool {
	a, b := g.Result, *r
	a.Timestamp, a.FrameSize = b.Timestamp, b.FrameSize
	return a == b
}

// writeRows writes results as Markdown tables, a new table for each change of settings or note.
func writeRows(b *strings.Builder, groups []group) {
	for i, g := range groups {
		if i == 0 || g.Config != groups[i-1].Config || g.Notes != groups[i-1].Notes {
			writeHead(b, &g.Result)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n",
			g.TestCase, g.Expected, g.Measured, g.PassFail, strings.Join(g.sizes, " "))
	}
}

// writeHead writes the beginning of a Markdown table: the note and the settings of result r, and the column
// titles.
func writeHead(b *strings.Builder, r *Result) {
	if _, note, more := strings.Cut(r.Notes, ": "); more {
		fmt.Fprintf(b, "\n%s:\n", note)
	}
	if r.Config != "" {
		fmt.Fprintf(b, "\n`%s`\n", r.Config)
	}
	b.WriteString("\n| value | expected | measured | verdict | frame sizes |\n|---|---|---|---|---|\n")
}

// WriteFiles writes the table of cases as path.md, and every value as path-values.md, path.csv and path.json.
func (r *Report) WriteFiles(path string) error {
	for _, f := range []struct {
		ending string
		write  func(io.Writer) error
	}{
		{".md", r.WriteMarkdown}, {"-values.md", r.WriteValues}, {".csv", r.WriteCSV},
		{".json", func(w io.Writer) error { return traffic.WriteJSON(w, r) }},
	} {
		if err := writeFile(path+f.ending, f.write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile replaces the file at path by what write writes. After an error of write the file stays as it was.
func writeFile(path string, write func(io.Writer) error) error {
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
