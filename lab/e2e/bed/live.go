package bed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
)

// Batches starts a load whose frames come in large batches, so that they leave a link live. A frame that has not
// arrived after lossTimeout counts as lost, and another takes its place; while no frame at all arrives, the time is
// four times as long.
func (top *Topology) Batches(t testing.TB, lossTimeout time.Duration) *Load {
	t.Helper()
	c := top.Between()
	c.Size, c.Window, c.RingSize, c.LossTimeout = "imix", 2048, 4096, lossTimeout
	return NewLoad(t, c)
}

// SendsBy waits until frames leave a link by a path (tx_path), and the daemon's reason for the path contains the text
// reason.
func (d *Daemon) SendsBy(path, reason string) {
	d.T.Helper()
	d.portSendsBy(d.Link, path, reason)
}

// EdgeSendsBy waits until frames leave an edge by a path. The load has an XDP program at the host's end of an edge, and
// the daemon sees it at its next look, up to a quarter of a second after the load began.
func (d *Daemon) EdgeSendsBy(path, reason string) {
	d.T.Helper()
	d.portSendsBy(d.Edge, path, reason)
}

// portSendsBy waits until frames leave a port by a path (tx_path), and the daemon's reason for the path contains the
// text reason.
func (d *Daemon) portSendsBy(port func() api.Port, path, reason string) {
	d.T.Helper()
	Eventually(d.T, d.Name+" sends with tx_path "+path, func() string {
		if p := port(); p.TxPath != path || !strings.Contains(p.TxPathReason, reason) {
			return fmt.Sprintf("port %s sends with tx_path %s: %s", p.Name, p.TxPath, p.TxPathReason)
		}
		return ""
	})
}

// SendsLive waits until link0 has sent more live frames than at the call.
func (d *Daemon) SendsLive() {
	d.T.Helper()
	before := d.Link().Socket.TxLive
	Eventually(d.T, d.Name+" sends live frames", func() string {
		if p := d.Link(); p.Socket.TxLive <= before {
			return fmt.Sprintf("link0 has sent no live frames since this wait began (%d in all); it sends with "+
				"tx_path %s: %s", before, p.TxPath, p.TxPathReason)
		}
		return ""
	})
}
