package web

import (
	"fmt"
	"slices"
	"strings"

	"uelink/control/api"
)

// curveHeight is the height of a curve in the units of its drawing, which is points wide.
const curveHeight = 32

// curveView is a curve of the last ten minutes.
type curveView struct {
	Title     string
	Now, Most string // the last value of the curve, and the largest
	Bits      string // the last value in bit/s; empty: the curve is not of frames sent or received
	Points    string // of the drawing: x,y
}

// curvesOf returns the curves of a port that the page shows; none before the second sample.
func curvesOf(p *api.Port, t *track) (list []curveView) {
	if t == nil || t.length == 0 {
		return nil
	}
	type shown struct {
		kind  int
		title string
	}
	bits := map[int]string{curveTx: api.Short(float64(t.txBits)), curveRx: api.Short(float64(t.rxBits))}
	all := []shown{{curveTx, "Frames sent a second"}, {curveRx, "Frames received a second"}}
	switch {
	case p.LLR != nil:
		all = append(all, shown{curveReplays, "Replays a second"}, shown{curveWindow, "Frames not acknowledged"})
	case p.HIPPI != nil:
		all = append(all, shown{curveReplays, "Micropackets sent again, per second"},
			shown{curveWindow, "Micropackets not acknowledged"})
	}
	all = append(all, shown{curveWaiting, "Frames that wait"}, shown{curveDrops, "Frames dropped a second"})
	for _, c := range all {
		values := t.curve(c.kind)
		list = append(list, curveView{c.title, api.Short(float64(values[len(values)-1])),
			api.Short(float64(slices.Max(values))), bits[c.kind], drawn(values)})
	}
	return list
}

// drawn returns the points of a curve, the latest value at the right end, 0 at the bottom and the largest value at the
// top.
func drawn(values []float32) string {
	most := max(slices.Max(values), 1)
	var text strings.Builder
	for i, v := range values {
		fmt.Fprintf(&text, "%d,%.1f ", points-len(values)+i, 1+(curveHeight-2)*(1-v/most))
	}
	return strings.TrimSuffix(text.String(), " ")
}
