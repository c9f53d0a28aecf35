package restarts

import (
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// window returns the window of the daemon's profile.
func window(d *bed.Daemon) any {
	d.T.Helper()
	return d.Tool("llr", "profile", "e2e").Succeeds().Objects()[0]["max_outstanding_frames"]
}

func TestReloadUnderLoad(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	smaller := bed.Lossless
	smaller.Profile += ", max_outstanding_frames: 77"

	t.Run("a new profile interrupts nothing", func(t *testing.T) {
		l := top.Load(t, bed.Patience)
		p.A.Reload(smaller.Text(p.A.Socket))
		p.Resume(t, "the reload", time.Now())
		bed.NothingLost(t, l.End())
		if w := window(p.A); w != 77.0 {
			t.Errorf("the window is %v", w)
		}
		if n := p.A.LLRCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})

	t.Run("a bad file is refused and the old one goes on", func(t *testing.T) {
		l := top.Load(t, bed.Patience)
		p.A.Reload(strings.Replace(smaller.Text(p.A.Socket), "role: edge", "role: hedge", 1))
		p.Resume(t, "the refused reload", time.Now())
		bed.NothingLost(t, l.End())
		if w := window(p.A); w != 77.0 {
			t.Errorf("the window is %v", w)
		}
		if log := p.A.Stderr.String(); !strings.Contains(log, "configuration refused, the old one goes on") ||
			!strings.Contains(log, "hedge") {
			t.Error("the log does not say that and why it was refused")
		}
	})

	t.Run("an interface that is not there is refused and the old ones go on", func(t *testing.T) {
		l := top.Load(t, bed.Patience)
		p.A.Reload(strings.Replace(smaller.Text(p.A.Socket), "interface: edge0", "interface: edge9", 1))
		p.Resume(t, "the refused reload", time.Now())
		bed.NothingLost(t, l.End())
		if log := p.A.Stderr.String(); !strings.Contains(log, "no interface edge9") {
			t.Error("the log does not say why it was refused")
		}
		if n := p.A.LLRCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})

	t.Run("ports that are opened anew lose nothing", func(t *testing.T) {
		l := top.Load(t, bed.Patience)
		changed := smaller
		changed.Link, changed.Edge = "opener: native", "rx_ring_size: 2048"
		p.A.Reload(changed.Text(p.A.Socket))
		p.Resume(t, "the reload", time.Now())
		bed.NothingLost(t, l.End())
		if link, edge := p.A.Link(), p.A.Edge(); link.Opener != "native" || edge.RxRingSize != 2048 {
			t.Errorf("opener %s, ring of the edge %d", link.Opener, edge.RxRingSize)
		}
		if n := p.A.LLRCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})
}
