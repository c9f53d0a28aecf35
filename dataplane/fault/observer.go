package fault

import (
	"uelink/dataplane/frame"
	"uelink/wire"
)

// Observer sees the frames of a wire, by way. The octets are the wire's, and only valid during the call.
type Observer interface {
	// Arrived is called with each frame at its arrival, before any fault.
	Arrived(way int, octets []byte, now wire.Time)
	// Lost is called with each frame that does not leave, by a rule, by chance, or for want of room.
	Lost(way int, octets []byte, now wire.Time)
	// Left is called with each frame leaving the wire, twice for a frame that leaves twice.
	Left(way int, octets []byte, now wire.Time)
}

// SetObserver makes o see the frames received by the device below, the frames of one way of the wire. nil removes the
// observer.
func (d *Device) SetObserver(o Observer, way int) { d.observer, d.way = o, way }

// octets returns the octets of a frame.
func (d *Device) octets(desc frame.Desc) []byte {
	return d.area[desc.Addr : desc.Addr+uint64(desc.Len)]
}

// lose tells the observer, if any, of a frame that does not leave.
func (d *Device) lose(desc frame.Desc, now wire.Time) {
	if d.observer != nil {
		d.observer.Lost(d.way, d.octets(desc), now)
	}
}
