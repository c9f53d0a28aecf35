package doctor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// Way is what a probe has found of the way to the other end of a link.
type Way struct {
	Peer    netip.Addr `json:"peer"`              // IP address of the interface at the other end
	Pings   int        `json:"pings"`             // echo requests sent
	Echoes  int        `json:"echoes"`            // answers
	Control int        `json:"control_frames"`    // control frames of the link that arrived
	Own     netip.Addr `json:"own,omitzero"`      // first IPv4 address of the interface
	Twin    string     `json:"twin,omitempty"`    // MAC address of another station that has the address, too
	Daemon  bool       `json:"counted_by_daemon"` // uelinkd, which has the interface, has counted the control frames
}

// How long a probe listens for control frames, and the number of pings that it sends in this time.
const (
	probeLasts = 3 * time.Second
	probePings = 5
)

// Probe sends echo requests to the IP address at the other end and an ARP probe for the interface's own address, and
// listens for control frames with this EtherType: an end whose LLR is on sends some each second. It returns what has
// come back. count returns the number of control frames that a running uelinkd has received by the interface, because
// a socket does not see these frames then; ok is false if no uelinkd serves the interface. The sockets need root.
func Probe(f *Facts, peer netip.Addr, control uint16, count func() (n int, ok bool)) (*Way, error) {
	w := &Way{Peer: peer}
	dev, err := net.InterfaceByName(f.Interface)
	if err != nil {
		return nil, err
	}
	echo, err := newEcho(f.Interface, peer)
	if err != nil {
		return nil, fmt.Errorf("ping by %s: %w", f.Interface, err)
	}
	defer echo.Close()
	listen, err := packetSocket(dev.Index, control)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", f.Interface, err)
	}
	defer listen.Close()
	if w.Own = ownIPv4(dev); w.Own.IsValid() {
		arp, err := packetSocket(dev.Index, unix.ETH_P_ARP)
		if err != nil {
			return nil, fmt.Errorf("ARP at %s: %w", f.Interface, err)
		}
		defer arp.Close()
		w.seekTwin(arp, dev)
	}
	before, daemon := count()
	end := time.Now().Add(probeLasts)
	for w.Pings < probePings {
		w.Pings++
		w.Echoes += echo.ping(uint16(w.Pings), time.Now().Add(probeLasts/probePings))
	}
	w.Control = received(listen, end)
	if after, ok := count(); ok && daemon {
		w.Daemon, w.Control = true, after-before
	}
	return w, nil
}

// ownIPv4 returns the first IPv4 address of an interface; the zero Addr if there is none.
func ownIPv4(dev *net.Interface) netip.Addr {
	list, _ := dev.Addrs()
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
			return p.Addr()
		}
	}
	return netip.Addr{}
}

// packetSocket returns a packet socket that receives the frames of an interface with this EtherType.
func packetSocket(ifindex int, etherType uint16) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "packet socket")
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: bigEndian(etherType), Ifindex: ifindex}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// bigEndian returns a number as the kernel has it in the octets of a frame.
func bigEndian(n uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, n))
}

// received returns the number of valid control frames that a packet socket receives until end.
func received(s *os.File, end time.Time) (n int) {
	var list [wire.MaxCtlOS]wire.CtlOS
	for buf := make([]byte, 1<<16); ; {
		octets, err := read(s, buf, end)
		if err != nil {
			return n
		}
		if _, _, fault := wire.ParseControl(buf[:octets], &list); fault == wire.NoFault {
			n++
		}
	}
}

// read reads the next message of a socket into buf, and returns its length; an error if none has come until end.
func read(s *os.File, buf []byte, end time.Time) (int, error) {
	if err := s.SetReadDeadline(end); err != nil {
		return 0, err
	}
	return s.Read(buf)
}

// Length of an ARP packet behind the Ethernet header, and the places of its addresses in the frame, in octets.
const (
	arpLen    = 28
	arpSender = wire.HeaderLen + 8  // MAC address, and IP address behind it
	arpTarget = wire.HeaderLen + 24 // IP address
)

// seekTwin asks by an ARP probe, without an address of its own (RFC 5227), who has the interface's address, and notes
// another station that answers.
func (w *Way) seekTwin(s *os.File, dev *net.Interface) {
	f := append(bytes.Repeat([]byte{0xFF}, wire.AddrLen), dev.HardwareAddr...)
	f = binary.BigEndian.AppendUint16(f, unix.ETH_P_ARP)
	f = append(f, 0, 1, 8, 0, wire.AddrLen, 4, 0, 1) // Ethernet, IPv4, request
	f = append(append(f, dev.HardwareAddr...), make([]byte, 4+wire.AddrLen)...)
	f = append(f, w.Own.AsSlice()...)
	if _, err := s.Write(f); err != nil {
		return
	}
	buf, own := make([]byte, 1<<11), w.Own.AsSlice()
	for end := time.Now().Add(time.Second / 2); ; {
		n, err := read(s, buf, end)
		if err != nil {
			return
		}
		a := buf[:n]
		if n < wire.HeaderLen+arpLen || !bytes.Equal(a[arpSender+wire.AddrLen:][:4], own) {
			continue
		}
		if mac := net.HardwareAddr(a[arpSender:][:wire.AddrLen]); !bytes.Equal(mac, dev.HardwareAddr) {
			w.Twin = mac.String()
			return
		}
	}
}
