package lldp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/lab/e2e/bed"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

// Every row of the table of received frames, sent to a running daemon: its counters
// say what became of it, and only what was taken makes a neighbour.
func TestLLDPDUValidation(t *testing.T) {
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{})
	peer := bed.Open(t, w.B, "link0", wire.EtherTypeLLDP)
	for _, c := range lldptest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			bed.Must(t, a.Client.ClearLLDPStatistics(t.Context(), "link0"))
			peer.Send(c.Frame)
			bed.Eventually(t, "the frame is counted", func() string {
				if n := lldpStatistics(a).Rx.TotalFrames; n != c.Want.TotalFrames {
					return fmt.Sprintf("%d are", n)
				}
				return ""
			})
			s := lldpStatistics(a)
			if diff := cmp.Diff(c.Want, s.Rx); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
			taken := 1 - int(c.Want.TotalDiscardedFrames)
			if n := len(a.Neighbors()); n != taken || s.Remote.Inserts != uint64(taken) {
				t.Errorf("%d neighbours and %d inserts, not %d", n, s.Remote.Inserts, taken)
			}
			if taken > 0 {
				peer.Send(lldptest.Goodbye(c.Frame))
				hearsNobody(a)
			}
		})
	}
}
