package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// reload makes a daemon read its configuration again and waits for the end of the reload.
func (d *daemon) reload(text string) {
	d.t.Helper()
	d.write(text)
	d.signal(syscall.SIGHUP)
	d.told("RELOADING=1")
	d.told("READY=1")
}

// window returns the window of the daemon's profile.
func (d *daemon) window() any {
	d.t.Helper()
	return d.tool("llr", "profile", "e2e").succeeds().objects()[0]["max_outstanding_frames"]
}

func TestReloadUnderLoad(t *testing.T) {
	top := direct(t)
	p := top.daemons(lossless)
	smaller := lossless
	smaller.profile += ", max_outstanding_frames: 77"

	t.Run("a new profile interrupts nothing", func(t *testing.T) {
		l := top.load(t, patience)
		p.a.reload(smaller.text(p.a.socket))
		p.resume(t, "the reload", time.Now())
		nothingLost(t, l.end())
		if w := p.a.window(); w != 77.0 {
			t.Errorf("the window is %v", w)
		}
		if n := p.a.llrCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})

	t.Run("a bad file is refused and the old one goes on", func(t *testing.T) {
		l := top.load(t, patience)
		p.a.reload(strings.Replace(smaller.text(p.a.socket), "role: edge", "role: hedge", 1))
		p.resume(t, "the refused reload", time.Now())
		nothingLost(t, l.end())
		if w := p.a.window(); w != 77.0 {
			t.Errorf("the window is %v", w)
		}
		if log := p.a.stderr.String(); !strings.Contains(log, "configuration refused, the old one goes on") ||
			!strings.Contains(log, "hedge") {
			t.Error("the log does not say that and why it was refused")
		}
	})

	t.Run("an interface that is not there is refused and the old ones go on", func(t *testing.T) {
		l := top.load(t, patience)
		p.a.reload(strings.Replace(smaller.text(p.a.socket), "interface: edge0", "interface: edge9", 1))
		p.resume(t, "the refused reload", time.Now())
		nothingLost(t, l.end())
		if log := p.a.stderr.String(); !strings.Contains(log, "no interface edge9") {
			t.Error("the log does not say why it was refused")
		}
		if n := p.a.llrCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})

	t.Run("ports that are opened anew lose nothing", func(t *testing.T) {
		l := top.load(t, patience)
		changed := smaller
		changed.link, changed.edge = "opener: native", "rx_ring_size: 2048"
		p.a.reload(changed.text(p.a.socket))
		p.resume(t, "the reload", time.Now())
		nothingLost(t, l.end())
		if link, edge := p.a.link(), p.a.edge(); link.Opener != "native" || edge.RxRingSize != 2048 {
			t.Errorf("opener %s, ring of the edge %d", link.Opener, edge.RxRingSize)
		}
		if n := p.a.llrCounters().TxInitCtlOS; n > 20 {
			t.Errorf("LLR was initialised anew: %d LLR_INIT", n)
		}
	})
}
