package dataplane

import (
	"testing"

	"uelink/cbfc"
	"uelink/dataplane/model"
)

// A reload that changes limits, lossless or PFC closes no socket while the memory has room, whatever is assured.
func TestLimitsAreReloadedInPlace(t *testing.T) {
	l := newLinkBed(t, func(s *model.PortSettings) { s.VCs = 4 })
	before := l.identity(l.a)
	for _, limit := range []uint16{4, 8, 16, 2, 0} {
		l.must(l.a.Reload(l.a.changed(func(lnk, edge *model.PortSettings) {
			lnk.CBFC = cbfc.Settings{
				On: true, Size: cbfc.Size{Credit: 1024}, Lossless: 1<<1 | 1<<2,
				CCTimer: 10e6, CFMinSpacing: 6400, CFMaxSpacing: 262144,
			}
			lnk.CBFC.Limit[1], lnk.CBFC.Limit[2] = limit, limit
			edge.PFC = model.PFCSettings{Priorities: 1 << 3, XOff: int(limit), XOn: int(limit) / 2, Headroom: 4}
			if limit == 0 {
				lnk.CBFC.On, edge.PFC = false, model.PFCSettings{}
			}
		})))
		if after := l.identity(l.a); after != before {
			t.Fatalf("limit %d: %+v before, %+v now", limit, before, after)
		}
		l.send(20)
		l.whole()
		l.sent = 0
	}
}
