package bed

import (
	"fmt"
	"strings"
	"testing"
)

// Batches starts a load whose frames come in large batches, so that they leave a link live.
func (top *Topology) Batches(t testing.TB) *Load {
	t.Helper()
	c := top.Between()
	c.Size, c.Window, c.RingSize, c.LossTimeout = "imix", 2048, 4096, Patience
	return NewLoad(t, c)
}

// SendsBy waits until frames leave a link by a path, for a reason that contains why.
func (d *Daemon) SendsBy(path, why string) {
	d.T.Helper()
	Eventually(d.T, d.Name+" sends by "+path, func() string {
		if p := d.Link(); p.TxPath != path || !strings.Contains(p.TxPathReason, why) {
			return fmt.Sprintf("it sends by %s: %s", p.TxPath, p.TxPathReason)
		}
		return ""
	})
}

// SendsLive waits until more frames leave a link live.
func (d *Daemon) SendsLive() {
	d.T.Helper()
	before := d.Link().Socket.TxLive
	Eventually(d.T, d.Name+" sends live frames", func() string {
		if p := d.Link(); p.Socket.TxLive <= before {
			return fmt.Sprintf("%d, as before; it sends by %s: %s", before, p.TxPath, p.TxPathReason)
		}
		return ""
	})
}
