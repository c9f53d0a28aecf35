package links

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// A switch on the way carries less than the interfaces: the link sends shorter frames and loses nothing, and both ends
// say so. When the switch carries all lengths again, the frames become long again.
func TestHIPPISwitchThatCarriesLess(t *testing.T) {
	t.Parallel()
	const most = 600
	top := bed.Bridged(t, most)
	p := hippi{}.joined(top)
	c := top.Between()
	c.Size, c.Rate, c.RingSize, c.LossTimeout = "imix", 500, 8192, 5*time.Second
	load := bed.NewLoad(t, c)
	problems := func() (a, b string) { return hippiOf(p.A).PartnerProblem, hippiOf(p.B).PartnerProblem }
	bed.Eventually(t, "both ends say that longer frames do not cross", func() string {
		a, b := problems()
		for _, text := range []string{a, b} {
			var octets int
			_, err := fmt.Sscanf(text, "the wire carries link frames of up to %d octets", &octets)
			if err != nil || octets > most+wire.HeaderLen+wire.VLANTagLen || octets < most/4 {
				return fmt.Sprintf("%q, %q", a, b)
			}
		}
		return ""
	})
	load.Reach(load.Least() + 500)
	if a := p.A.Tool("status", "-o", "table"); a.Code != 1 || !strings.Contains(a.Stdout, "raise the MTU of what is") {
		t.Errorf("exit %d: %s", a.Code, a.Stdout)
	}
	for _, port := range []string{"a", "b"} {
		bed.Must(t, top.Wire.SetMTU(port, bed.LinkMTU))
	}
	bed.Eventually(t, "no problem while all lengths cross", func() string {
		if a, b := problems(); a != "" || b != "" {
			return fmt.Sprintf("%q, %q", a, b)
		}
		return ""
	})
	bed.NothingLost(t, load.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := hippiOf(d).Counters; n.LinkResets != 1 || n.Shutdowns+n.TxLostAtReset+n.RxLostAtReset > 0 {
			t.Errorf("%s: %+v", d.Name, n)
		}
	}
}
