package conformance

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// sample has rows of two sizes that are alike, one that failed, and one of other ends.
func sample() Report {
	at := time.Date(2026, 11, 22, 18, 0, 0, 0, time.UTC)
	row := func(size int, name, want, got, verdict, notes string) Result {
		return Result{at, "LLR-01", size, "10.0.0.1", "10.0.0.2", name, "A=1", want, got, verdict, notes}
	}
	return Report{Results: []Result{
		row(64, "A TX_OK", "100", "100", pass, "memory"), row(65, "A TX_OK", "100", "100", pass, "memory"),
		row(64, "frames lost", "0", "7", fail, "memory: frame 5"), row(0, "A TX_OK", "100", "100", pass, "veth"),
	}}
}

func TestCSVHasTheFieldsOfTheStandard(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const heads = "Timestamp,Scenario_ID,Frame_Size,Source_IP,Dest_IP,Test_Case,Config_Params," +
		"Expected_Value,Measured_Value,Pass/Fail,Notes"
	if got := strings.Join(rows[0], ","); got != heads {
		t.Errorf("heads %s", got)
	}
	want := []string{"2026-11-22T18:00:00Z", "LLR-01", "64", "10.0.0.1", "10.0.0.2", "frames lost", "A=1", "0", "7",
		"Fail", "memory: frame 5"}
	if !slices.Equal(rows[3], want) || len(rows) != 5 {
		t.Errorf("%d rows, one of them %q", len(rows), rows[3])
	}
}

func TestJSONKeys(t *testing.T) {
	text, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Results []map[string]any }
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for _, head := range columns() {
		key := strings.ReplaceAll(strings.ToLower(head), "/", "_")
		if _, ok := r.Results[0][key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	if got := r.Results[2]["pass_fail"]; got != "Fail" {
		t.Errorf("pass_fail %v", got)
	}
}

func TestTableNamesWhatHasFailed(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"FAIL 2 of 3", "PASS 1 of 1", "Frames of a good wire", "frames lost: expected 0, measured 7",
		"0 of 1 cases pass, 3 of 4 values are as expected",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// The table of cases has verdicts, and neither sections nor times.
func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if want := "| LLR-01 | memory | FAIL 2 of 3 |"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is not in\n%s", want, b.String())
	}
	for _, unwanted := range []string{"## ", "2026", "A TX_OK"} {
		if strings.Contains(b.String(), unwanted) {
			t.Errorf("%q is in\n%s", unwanted, b.String())
		}
	}
}

// Values that differ in their size only are one row, and there are no times.
func TestValues(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.WriteValues(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| A TX_OK | 100 | 100 | Pass | 64 65 |\n", "## LLR-01, veth", "`A=1`",
		"| A TX_OK | 100 | 100 | Pass |  |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "2026") {
		t.Error("there is a time in it")
	}
}

func TestReportPassed(t *testing.T) {
	r := sample()
	if r.Passed() || (&Report{}).Passed() {
		t.Error("a report with a failed row, or without any, has passed")
	}
	if r.Results = r.Results[:2]; !r.Passed() {
		t.Error("a report of rows that passed has not")
	}
}

func TestPick(t *testing.T) {
	picked, unknown := Pick([]string{"LLR-03", "LLR-99", "LLR-01"})
	if len(picked) != 2 || picked[0].ID != "LLR-01" || !slices.Equal(unknown, []string{"LLR-99"}) {
		t.Errorf("picked %d cases, unknown %q", len(picked), unknown)
	}
	if all, unknown := Pick(nil); len(all) != len(Cases()) || unknown != nil {
		t.Errorf("%d cases, unknown %q", len(all), unknown)
	}
}

// The verdict is about 5 % where time is in it.
func TestNearIsWithinFivePercent(t *testing.T) {
	x := &trial{}
	for _, got := range []float64{95.1, 104.9, 94.9, 105.1} {
		x.near("rate", "Mpps", 100, got)
	}
	var verdicts []string
	for _, r := range x.rows {
		verdicts = append(verdicts, r.PassFail)
	}
	if want := []string{pass, pass, fail, fail}; !slices.Equal(verdicts, want) {
		t.Errorf("%q, want %q", verdicts, want)
	}
	if r := x.rows[0]; r.Expected != "100 Mpps" || r.Measured != "95.1 Mpps" {
		t.Errorf("shown as %q and %q", r.Expected, r.Measured)
	}
}

// command runs `uelink conformance` with arguments.
func command(args ...string) (stdout string, err error) {
	root := &cobra.Command{SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().StringP("output", "o", "table", "")
	root.AddCommand(Command())
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetArgs(append([]string{"conformance"}, args...))
	err = root.ExecuteContext(context.Background())
	return b.String(), err
}

func TestCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	table, err := command("--ends", "memory", "--only", "LLR-05,LLR-02", "--report", path)
	if err != nil || !strings.Contains(table, "LLR-02  memory  PASS") || strings.Contains(table, "LLR-01") {
		t.Errorf("%v\n%s", err, table)
	}
	for _, ending := range []string{".md", "-values.md", ".csv", ".json"} {
		if text, err := os.ReadFile(path + ending); err != nil || !strings.Contains(string(text), "LLR-05") {
			t.Errorf("%s: %v", ending, err)
		}
	}
	text, err := command("--ends", "memory", "--only", "LLR-02", "-o", "json")
	var r Report
	if jsonErr := json.Unmarshal([]byte(text), &r); err != nil || jsonErr != nil || !r.Passed() {
		t.Errorf("%v, %v", err, jsonErr)
	}
}

func TestCommandLineIsChecked(t *testing.T) {
	for want, args := range map[string][]string{
		"the test standard has no case LLR-99": {"--only", "LLR-99"},
		"memory, veth or all":                  {"--ends", "paper"},
	} {
		_, err := command(args...)
		var coded interface{ ExitCode() int }
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		} else if coded, _ = err.(interface{ ExitCode() int }); coded == nil || coded.ExitCode() != 2 {
			t.Errorf("%q: %v has no exit code 2", args, err)
		}
	}
}

// keptReport returns docs/conformance.md.
func keptReport(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatalf("%v (make conformance)", err)
	}
	return string(text)
}

// The report kept in docs is the text of WriteMarkdown: a row for every case over every kind of its ends, for nothing
// else, and all of them passed. TestCasesPassInMemory compares the verdicts.
func TestKeptReportHasEveryCase(t *testing.T) {
	saved := keptReport(t)
	n, rows := len(Cases()), 0
	if head := fmt.Sprintf("%s%d of %d cases pass.\n", markdownHead, n, n); !strings.HasPrefix(saved, head) {
		t.Errorf("conformance.md does not begin with %q: run make conformance", head)
	}
	if strings.Contains(saved, "| FAIL ") {
		t.Error("not all of it passed")
	}
	for _, c := range Cases() {
		for ends, runs := range map[string]bool{endsMemory: c.memory != nil, endsVeth: c.veth != nil} {
			start := fmt.Sprintf("\n| %s | %s | PASS ", c.ID, ends)
			if strings.Contains(saved, start) != runs {
				t.Errorf("%s, %s: want it in conformance.md: %v; run make conformance", c.ID, ends, runs)
			}
			if runs {
				rows++
			}
		}
	}
	if got := strings.Count(saved, "| PASS "); got != rows || strings.Contains(saved, "\n## ") {
		t.Errorf("conformance.md has %d rows, want %d and no sections: run make conformance", got, rows)
	}
}
