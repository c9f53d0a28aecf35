package station

import (
	"time"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/wire"
)

// Another LLDP agent of this host on the same interface is found by the frames that it sends. Only
// a tap on all traffic sees frames sent by the host, and such a tap makes every packet of the
// interface slightly more expensive. Therefore the tap is open only for tapFor, enough for one
// frame of an agent with the usual interval, and again every tapEvery.
const (
	tapFor   = 40 * time.Second
	tapEvery = 10 * time.Minute
)

// tap watches an interface for LLDP frames sent by this host.
type tap struct {
	socket *socket
	until  wire.Time // time of closing the socket
	next   wire.Time // time of the next opening
}

// run opens and closes, when due, the socket that watches the interface for other LLDP agents of this host.
func (t *tap) run(ifindex int, now wire.Time) {
	switch {
	case t.socket == nil && now >= t.next:
		t.until, t.next = now.Add(tapFor), now.Add(tapEvery)
		t.socket = openTap(ifindex)
	case t.socket != nil && now >= t.until:
		t.close()
	}
}

// close closes the socket, if it is open.
func (t *tap) close() {
	if t.socket != nil {
		t.socket.close()
		t.socket = nil
	}
}

// deadline returns when the socket that watches for other LLDP agents of this host is opened or closed next.
func (t *tap) deadline() wire.Time {
	if t.socket != nil {
		return t.until
	}
	return t.next
}

// openTap opens a socket that receives LLDP frames sent by this host on an interface, or returns nil on an error;
// LLDP works without it.
func openTap(ifindex int) *socket {
	s, err := packetSocket(ifindex)
	if err != nil {
		return nil
	}
	if unix.SetsockoptSockFprog(s.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, outgoingLLDP()) != nil ||
		s.bind(unix.ETH_P_ALL) != nil {
		s.close()
		return nil
	}
	return s
}

// Ancillary data of a packet filter (linux/filter.h).
const (
	ancillary         = 0xFFFF_F000 // SKF_AD_OFF
	ancillaryProtocol = ancillary + 0
	ancillaryKind     = ancillary + 4
)

// outgoingLLDP returns a packet filter that passes only LLDP frames sent by this host.
func outgoingLLDP() *unix.SockFprog {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: ancillaryKind},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.PACKET_OUTGOING},
		{Code: unix.BPF_LD | unix.BPF_H | unix.BPF_ABS, K: ancillaryProtocol},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(wire.EtherTypeLLDP)},
		{Code: unix.BPF_RET | unix.BPF_K, K: frameRoom},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	return &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
}

// lastOfOthers reads up to budget LLDP frames sent by this host, and returns the last LLDPDU not sent by an agent of
// this port (see ours), or nil.
func (t *tap) lastOfOthers(buf []byte, budget int, ours func(*lldp.PDU) bool) *lldp.Info {
	var found *lldp.Info
	for t.socket != nil && budget > 0 {
		budget--
		n, _, err := t.socket.receive(buf)
		if err != nil {
			break
		}
		frame, fault := lldp.ParseFrame(buf[:n])
		if fault != lldp.NoFault {
			continue
		}
		if info, fault := lldp.NewInfo(frame.PDU); fault == lldp.NoFault && !ours(&info.PDU) {
			found = info
		}
	}
	return found
}
