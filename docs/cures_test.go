package docs

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cures has, for each row of the table of dropped frames in TROUBLESHOOTING.md by its first counter, the tests that
// make the trouble, or the counts of it, and hold what is said of it.
var cures = map[string]string{
	"rx_ring_full":         "lab/e2e/drivers.TestARingThatOverrunsIsTold",
	"rx_dropped":           "dataplane.TestEveryDoorSaysWhatToDo lab/e2e/pushback.TestCrowdLosesNothing",
	"rx_pieces_too_long":   "dataplane.TestFramesInTooManyPiecesAreTold",
	"rx_missed":            "dataplane.TestEveryDoorSaysWhatToDo",
	"host_tx_dropped":      "lab/e2e/pushback.TestCrowdLosesNothing lab/e2e/pushback.TestReloadSwitches",
	"host_qdisc_dropped":   "lab/e2e/pushback.TestLossyIsTold dataplane.TestEveryDoorSaysWhatToDo",
	"rx_too_long":          "dataplane.TestHostWithALargerMTU dataplane.TestCauseOfFramesTooLong",
	"tx_errors":            "dataplane.TestEveryDoorSaysWhatToDo",
	"rx_no_socket":         "lab/e2e/drivers.TestFramesByAQueueWithoutASocketAreTold",
	"rx_invalid_descs":     "dataplane.TestEveryDoorSaysWhatToDo",
	"rx_drop_no_buffer":    "dataplane/path.TestDropsForWantOfRoomAreTold",
	"rx_paused_share":      "control/status.TestStatusOfALink",
	"rx_oversized":         "lab/e2e/tools.TestEachTroubleHasOneCommand",
	"tx_drop_changed":      "dataplane/path.TestFrameThatChangesInMemoryIsPoisoned",
	"tx_drop_down":         "lab/e2e/tools.TestEachTroubleHasOneCommand",
	"rx_super_no_room":     "dataplane/vnet.TestNoRoom",
	"rx_super_malformed":   "dataplane/segment.TestLyingHeaders",
	"tx_drop_queue_closed": "dataplane/path.TestClosedQueueTakesNoFrames",
}

// firstCounter is a row of that table, and its first counter.
var firstCounter = regexp.MustCompile("(?m)^\\| `([rt]x_[a-z_]+|host_[a-z_]+)`.*\\|.*\\|.*\\|$")

// Each row of the table of dropped frames has a test in the tree that makes the trouble, or the counts of it, and no
// test is left over.
func TestEachCureHasATest(t *testing.T) {
	text, err := os.ReadFile("TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## Dropped frames")
	table, _, end := strings.Cut(table, "\n## ")
	if !ok || !end {
		t.Fatal("TROUBLESHOOTING.md has no section on dropped frames")
	}
	tree, left := sources{tree: os.DirFS("..")}, maps.Clone(cures)
	for _, row := range firstCounter.FindAllStringSubmatch(table, -1) {
		tests := strings.Fields(cures[row[1]])
		if len(tests) == 0 {
			t.Errorf("%s: name the test that makes the trouble", row[1])
		}
		for _, name := range tests {
			if err := tree.test(name); err != nil {
				t.Errorf("%s: %v", row[1], err)
			}
		}
		delete(left, row[1])
	}
	if len(left) > 0 {
		t.Errorf("no row has %q", slices.Sorted(maps.Keys(left)))
	}
}
