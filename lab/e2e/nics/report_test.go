package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/lab/e2e/nics/guest"
)

var rewrite = flag.Bool("rewrite", false, "write the golden table instead of comparing with it")

// sample is a report with every outcome.
func sample() report {
	bed := guest.Bed{Kernel: "6.12", XDPMode: "driver", BindMode: "copy", Opener: "asavie", Queues: 2}
	igb := lane{Name: "igb", Driver: "igb", Mode: "driver, copy"}
	a := result{lane: igb, Kernel: "6.12", Bed: bed, Cells: []guest.Cell{
		{Fault: "link down, up", Outcome: guest.Clean, Sent: 100, Pause: 1.76},
		{Fault: "ethtool -L", Outcome: guest.Refused, Why: "ethtool -L:\nsockets are open", Sent: 100, Pause: 0.2},
		{Fault: "kill -9", Outcome: guest.Exempt, Why: "it was in memory", Sent: 200, Lost: 12, Pause: 6.5},
		{Fault: "function reset", Outcome: guest.Failed, Why: "frames both ways: not within 30s",
			Sent: 200, Lost: 1, Duplicated: 2, Pause: 30},
	}}
	b := result{lane: lane{Name: "e1000e", Driver: "e1000e", Mode: "generic, copy"}, Kernel: "6.12", Bed: bed,
		Console: []string{"NETDEV WATCHDOG: timed out"}, Cells: []guest.Cell{
			{Fault: "ethtool -L", Outcome: guest.Refused, Why: "ethtool -L:\nsockets are open", Sent: 100, Pause: 0.2},
			{Fault: "function reset", Outcome: guest.Hung, Why: "the kernel waits"}}}
	c := result{lane: lane{Name: "vmxnet3", Driver: "vmxnet3"}, Error: "the guest has ended"}
	return report{Cases: []result{a, b, c}}
}

func TestTable(t *testing.T) {
	r := sample()
	text := r.markdown()
	const golden = "testdata/table.md"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || text != string(want) {
		t.Errorf("%v: the table is\n%s\n%s has another: go test -rewrite writes it", err, text, golden)
	}
}

func TestProblems(t *testing.T) {
	r := sample()
	err := r.err()
	if err == nil {
		t.Fatal("there are none")
	}
	const want = `4 problems:
igb: function reset: frames both ways: not within 30s
e1000e: the link's XDP and bind mode are driver, copy, not generic, copy
e1000e: function reset: the kernel waits
vmxnet3: the guest has ended`
	if err.Error() != want {
		t.Errorf("%s\nwant\n%s", err, want)
	}
	if err := (&report{Cases: r.Cases[:0]}).err(); err != nil {
		t.Error(err)
	}
}

// What was measured is kept case by case, and the results of other cases stay, in the order of the cases.
func TestResultsAreKeptAfterEachCase(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := readReport(dir); len(r.Cases) > 0 {
		t.Errorf("%+v", r)
	}
	names := func() (list string) {
		for _, c := range readReport(dir).Cases {
			list += fmt.Sprintf("%s %g;", c.Name, c.Seconds)
		}
		return list
	}
	keep := func(cases ...result) {
		if err := (&report{Cases: cases}).write(dir); err != nil {
			t.Fatal(err)
		}
	}
	keep(result{lane: lanes[2], Seconds: 1}, result{lane: lanes[0], Seconds: 2}, result{lane: lane{Name: "an old one"}})
	keep(result{lane: lanes[1], Seconds: 3})
	keep(result{lane: lanes[1], Seconds: 3}, result{lane: lanes[2], Seconds: 4})
	want := fmt.Sprintf("%s 2;%s 3;%s 4;", lanes[0].Name, lanes[1].Name, lanes[2].Name)
	if got := names(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "nics.md"))
	if err != nil || strings.Count(string(text), "\n| "+lanes[1].Name+" |") != 1 {
		t.Errorf("%v: %s", err, text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.new")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// A run of some faults leaves what was measured of the others, in the order of the table.
func TestRunOfSomeFaults(t *testing.T) {
	of := func(outcome string, faults ...string) (cells []guest.Cell) {
		for _, f := range faults {
			cells = append(cells, guest.Cell{Fault: f, Outcome: outcome})
		}
		return cells
	}
	before := report{Cases: []result{{
		lane: lanes[0], Seconds: 100, Cells: of(guest.Failed, "link down, up", "kill -9", "an old one"),
	}}}
	r := result{lane: lanes[0], Seconds: 20, Cells: of(guest.Clean, "tcpdump", "kill -9")}
	r.addEarlier(before)
	got := ""
	for _, c := range r.Cells {
		got += c.Fault + " " + c.Outcome + ";"
	}
	if want := "link down, up failed;tcpdump clean;kill -9 clean;"; got != want || r.Seconds != 100 {
		t.Errorf("%s, want %s; %g s", got, want, r.Seconds)
	}
	other := result{lane: lanes[1], Cells: of(guest.Clean, "tcpdump")}
	if other.addEarlier(before); len(other.Cells) != 1 {
		t.Errorf("another case has got %+v", other.Cells)
	}
}

// Without a folder nothing is written.
func TestResultsThatNobodyWants(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := (&report{Cases: []result{{lane: lanes[0]}}}).write(""); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob("*"); len(files) > 0 {
		t.Errorf("%q was written", files)
	}
}

func TestComplaintsOfAKernel(t *testing.T) {
	const console = "[ 1.0] all is well\r\n[ 2.0] WARNING: CPU: 0 PID: 1 at net/core/dev.c\r\n" +
		"[ 3.0] igb: NETDEV WATCHDOG: timed out\n"
	got := strings.Join(complaints(console), "|")
	if want := "[ 2.0] WARNING: CPU: 0 PID: 1 at net/core/dev.c|[ 3.0] igb: NETDEV WATCHDOG: timed out"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
