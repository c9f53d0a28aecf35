package e2e

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/lldp/lldptest"
	"uelink/wire"
)

// Every row of the table of received frames, sent to a running daemon: its counters
// say what became of it, and only what was taken makes a neighbour.
func TestLLDPDUValidation(t *testing.T) {
	w := newWired(t)
	a := begin(t, w.A, "A", lldpOnly{})
	peer := open(t, w.B, "link0", wire.EtherTypeLLDP)
	for _, c := range lldptest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			must(t, a.client.ClearLLDPStatistics(t.Context(), "link0"))
			peer.send(c.Frame)
			eventually(t, "the frame is counted", func() string {
				if n := a.lldpStatistics().Rx.TotalFrames; n != c.Want.TotalFrames {
					return fmt.Sprintf("%d are", n)
				}
				return ""
			})
			s := a.lldpStatistics()
			if diff := cmp.Diff(c.Want, s.Rx); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
			taken := 1 - int(c.Want.TotalDiscardedFrames)
			if n := len(a.neighbors()); n != taken || s.Remote.Inserts != uint64(taken) {
				t.Errorf("%d neighbours and %d inserts, not %d", n, s.Remote.Inserts, taken)
			}
			if taken > 0 {
				peer.send(lldptest.Goodbye(c.Frame))
				a.hearsNobody()
			}
		})
	}
}
