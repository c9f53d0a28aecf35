package bed

import (
	"slices"
	"testing"

	"uelink/wire"
)

// Station is a partner made of a packet socket: it answers LLR_INIT only.
type Station struct{ *Packets }

// NewStation opens a packet socket at link0 of B, through which a test plays the partner of daemon A.
func NewStation(t testing.TB, top *Topology) Station {
	return Station{Open(t, top.B, "link0", 0x0003)}
}

// StationMAC is the address of a Station.
var StationMAC = wire.MAC{0x02, 's', 't', 'a', 0, 1}

// Control sends a control frame with these control ordered sets.
func (s Station) Control(list ...wire.CtlOS) {
	s.T.Helper()
	frame := make([]byte, wire.MaxControlLen)
	s.Send(frame[:wire.PutControl(frame, StationMAC, wire.EtherTypeControl, list)])
}

// Answer receives one frame and returns its control ordered sets; nil if none is received or the frame is no
// control frame. It answers each LLR_INIT in the frame with LLR_INIT_ECHO.
func (s Station) Answer() (sets []wire.CtlOS) {
	s.T.Helper()
	frame := s.Next()
	if len(frame) < wire.HeaderLen || wire.EtherType(frame) != wire.EtherTypeControl {
		return nil
	}
	var list [wire.MaxCtlOS]wire.CtlOS
	n, _, fault := wire.ParseControl(frame, &list)
	if fault != wire.NoFault {
		s.T.Errorf("control frame with a fault: % x", frame)
	}
	for _, c := range list[:n] {
		if c.Type == wire.LLRInit {
			s.Control(wire.CtlOS{Type: wire.LLRInitEcho, Seq: c.Seq, InitData: c.InitData})
		}
	}
	return slices.Clone(list[:n])
}
