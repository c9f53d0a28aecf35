package conformance

import (
	"maps"
	"testing"

	"uelink/lab/simulated"
	"uelink/llr"
)

// selectiveDifferences are the values of LLR's cases that selective replay makes others, by case and value, with what
// is measured then.
var selectiveDifferences = map[string]string{
	"LLR-02 B RX_EXPECTED_SEQ_GOOD":              "50",    // the other 50 came behind the gap: rx_kept
	"LLR-03 frames that A sent again in replays": "3",     // the oldest of the window alone, at each attempt
	"LLR-06 A TX_OK":                             "8",     // as LLR-03, and a probe of the last frame
	"LLR-06 B RX_DUPLICATE_SEQ":                  "4",     // as LLR-03, and a probe of the last frame
	"LLR-10 A has replayed frames":               "false", // not both a replay and a lost ineligible frame
}

// All other values of LLR's cases are those of the standard under selective replay, too.
func TestSelectiveReplayChangesNoOtherValue(t *testing.T) {
	found := map[string]string{}
	for _, c := range llrCases() {
		for _, r := range c.inMemory(func(o *simulated.Options) { o.Profile.Replay = llr.Selective }) {
			if !r.Passed() {
				found[c.ID+" "+r.TestCase] = r.Measured
			}
		}
	}
	if !maps.Equal(found, selectiveDifferences) {
		t.Errorf("other values than expected: %v", found)
	}
}
