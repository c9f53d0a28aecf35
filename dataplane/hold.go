//go:build hold

package dataplane

import (
	"os"
	"sync/atomic"
	"time"

	"uelink/dataplane/frame"
)

// holdVariable names the file in the environment whose presence holds the edges of a daemon
// that is built with the tag hold, for tests: their sends do not complete.
const holdVariable = "UELINK_HOLD_EDGES"

func init() {
	file := os.Getenv(holdVariable)
	if file == "" {
		return
	}
	var hold atomic.Bool
	go func() {
		for ; ; time.Sleep(10 * time.Millisecond) {
			_, err := os.Stat(file)
			hold.Store(err == nil)
		}
	}()
	decorate = func(r Role, d frame.Device) frame.Device {
		if r != RoleEdge {
			return d
		}
		return &heldEdge{Device: d, hold: &hold}
	}
}

// heldEdge is a device whose sends do not complete while it is held.
type heldEdge struct {
	frame.Device
	hold *atomic.Bool
}

// Completed names nothing while the edge is held.
func (h *heldEdge) Completed(into []uint64) int {
	if h.hold.Load() {
		return 0
	}
	return h.Device.Completed(into)
}
