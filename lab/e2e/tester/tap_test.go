package tester

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// tap captures what crosses an interface, both ways, by the kernel's tap: the frames that no XDP program takes.
type tap struct {
	t      *testing.T
	socket *os.File
	path   string
	ended  chan error
}

// newTap begins to capture at an interface. On return it does.
func newTap(t *testing.T, ns *netns.NS, ifname string) *tap {
	t.Helper()
	p := &tap{t: t, path: filepath.Join(t.TempDir(), ifname+".pcapng"), ended: make(chan error, 1)}
	index, err := ns.Ifindex(ifname)
	bed.Must(t, err)
	bed.Must(t, ns.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		p.socket = os.NewFile(uintptr(fd), "tap")
		all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index})
	}))
	t.Cleanup(func() { p.socket.Close() })
	go func() { p.ended <- p.write() }()
	return p
}

// write writes frames to the file until the socket is closed.
func (p *tap) write() error {
	file, err := os.Create(p.path)
	if err != nil {
		return err
	}
	defer file.Close()
	w, err := pcapgo.NewNgWriter(file, layers.LinkTypeEthernet)
	if err != nil {
		return err
	}
	connection, err := p.socket.SyscallConn()
	if err != nil {
		return err
	}
	b := make([]byte, 4096)
	for {
		n, outgoing := 0, false
		waited := connection.Read(func(fd uintptr) bool {
			var from unix.Sockaddr
			n, from, err = unix.Recvfrom(int(fd), b, 0)
			if l, ok := from.(*unix.SockaddrLinklayer); ok {
				outgoing = l.Pkttype == unix.PACKET_OUTGOING
			}
			return !errors.Is(err, unix.EAGAIN)
		})
		if waited != nil || err != nil {
			return w.Flush() // the socket is closed
		}
		direction := pcapgo.NgEpbFlagDirectionInbound
		if outgoing {
			direction = pcapgo.NgEpbFlagDirectionOutbound
		}
		err := w.WritePacketWithOptions(gopacket.CaptureInfo{Timestamp: time.Now(), CaptureLength: n, Length: n}, b[:n],
			pcapgo.NgPacketOptions{Flags: &pcapgo.NgEpbFlags{Direction: direction}})
		if err != nil {
			return err
		}
	}
}

// end ends the capture, and returns the messages of a protocol, and the marks.
func (p *tap) end(protocols ...string) []unit {
	p.t.Helper()
	p.socket.Close()
	bed.Must(p.t, <-p.ended)
	return slices.DeleteFunc(look(p.t, p.path), func(u unit) bool { return !slices.Contains(protocols, u.name) })
}
