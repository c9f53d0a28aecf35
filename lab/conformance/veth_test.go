package conformance

import (
	"context"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/internal/programtest"
)

// built returns the paths of the two programs.
func built(t *testing.T) Programs {
	return Programs{Daemon: programtest.Path(t, "uelinkd"), Tool: programtest.Path(t, "uelink")}
}

// TestCasesPassOverVeth runs the shortest of them, with real daemons.
func TestCasesPassOverVeth(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the work is in other processes")
	}
	nstest.New(t, "root") // or skip
	cases, _ := Pick([]string{"LLR-01"})
	r, err := OverVeth(context.Background(), cases, built(t))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed() {
		t.Errorf("%+v", r.Results)
	}
}

// Without a daemon there are no results, and the error names the missing program.
func TestVethWithoutADaemon(t *testing.T) {
	cases, _ := Pick([]string{"LLR-01"})
	r, err := OverVeth(context.Background(), cases, Programs{Daemon: "/none/uelinkd"})
	if err == nil || len(r.Results) != 0 {
		t.Errorf("error %v, %d results", err, len(r.Results))
	}
}
