package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/lab/demo"
	"uelink/lab/e2e/bed"
)

// The dissector counts in the captures of a whole demo what the demo's daemons have counted: frames that
// were missing, and duplicates. Replays it counts where the numbers go back, the daemons where they were
// completed, which is not the same for a few (docs/wireshark.md): up to one of twenty may differ. A capture may
// miss frames where the machine is busy, which the number of received ones shows; then the demo is run again.
func TestDissectorCountsADemo(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	nstest.New(t, "root") // or skip
	whole := false
	for i := 0; i < 5 && !whole; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) { whole = compareDemo(t, i) })
	}
	if !whole {
		t.Error("the captures of five demos have missed frames")
	}
}

// compareDemo is false if one of the captures has missed frames.
func compareDemo(t *testing.T, run int) (whole bool) {
	cmd := exec.Command(bed.Program("uelink"), "demo", "--frames", "4000", "--size", "imix", "--seed", fmt.Sprint(run+1),
		"--capture", t.TempDir(), "-o", "json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("demo: %v", err)
	}
	var r demo.Result
	bed.Must(t, json.Unmarshal(out, &r))
	if len(r.Captures) != 2 {
		t.Fatalf("the demo tells of %d captures: %s", len(r.Captures), out)
	}
	whole = true
	for _, c := range r.Captures {
		want := analysed{c.Received, c.RxMissingSeq, c.RxDuplicateSeq, c.TxReplay + c.TxTailProbe}
		switch got := analyse(t, c.File); {
		case got.Received != want.Received:
			t.Logf("%s has %d of %d frames", c.File, got.Received, want.Received)
			whole = false
		case got.Gaps != want.Gaps, got.Duplicates != want.Duplicates, !nearly(got.Replays, want.Replays),
			got.Replays == 0, want.Gaps == 0, want.Duplicates == 0:
			t.Errorf("%s: the dissector counts %+v, the daemon %+v", c.File, got, want)
		default:
			t.Logf("%s: %+v of %+v", c.File, got, want)
		}
	}
	return whole
}

// nearly tells whether the dissector has counted the daemon's replays: no more than one of twenty too many, and no more
// than one of ten too few. A replay that begins where the one before ended looks like its continuation.
func nearly(got, want uint64) bool { return 20*got <= 21*want && 10*got >= 9*want }
