//go:build hold

package dataplane

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/path"
	"uelink/dataplane/xsk"
)

// holdVariable is an environment variable for tests with a daemon built with the tag hold: the name of a file. While
// the file exists, sends of edges do not complete if the file names their interfaces, separated by white space. An
// empty file holds all edges.
const holdVariable = "UELINK_HOLD_EDGES"

// holdPoll is the time between two readings of the file.
const holdPoll = 10 * time.Millisecond

func init() {
	file := os.Getenv(holdVariable)
	if file == "" {
		return
	}
	var held atomic.Pointer[[]string]
	go func() {
		for ; ; time.Sleep(holdPoll) {
			held.Store(readHeld(file))
		}
	}()
	decorate = func(r path.Role, d frame.Device) frame.Device {
		if r != path.RoleEdge {
			return d
		}
		return &heldEdge{Device: d, ifname: interfaceOf(d), held: &held}
	}
}

// readHeld returns the interfaces named by the file; nil if there is no file.
func readHeld(file string) *[]string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	names := strings.Fields(string(text))
	return &names
}

// interfaceOf returns the interface of a socket; empty for the tap of a capture.
func interfaceOf(d frame.Device) string {
	if s, ok := d.(*xsk.Socket); ok {
		return s.Info().Interface
	}
	return ""
}

// heldEdge is a device whose sends do not complete while the edge is held.
type heldEdge struct {
	frame.Device
	ifname string
	held   *atomic.Pointer[[]string] // nil: no edge is held
}

// Completed returns 0, no completed frame, while the edge is held.
func (h *heldEdge) Completed(into []uint64) int {
	if names := h.held.Load(); names != nil && (len(*names) == 0 || slices.Contains(*names, h.ifname)) {
		return 0
	}
	return h.Device.Completed(into)
}
