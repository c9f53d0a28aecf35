package dataplane

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns/nstest"
)

// networkBed is a test in a network namespace of its own.
type networkBed struct{ t *testing.T }

// hostBed is a veth from near, which the daemon is to own, to far.
type hostBed struct {
	networkBed
	records *netif.Records
}

func newHostBed(t *testing.T) *hostBed {
	t.Helper()
	nstest.Enter(t)
	// Nothing but the test is to send; a kernel without IPv6 does not anyway.
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0)
	b := &hostBed{networkBed: networkBed{t}, records: netif.OpenRecords(t.TempDir(), zap.NewNop())}
	b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "near"}, PeerName: "far"}))
	for _, name := range []string{"near", "far"} {
		b.must(netlink.LinkSetUp(b.link(name)))
	}
	return b
}

func (b networkBed) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b networkBed) link(name string) netlink.Link {
	b.t.Helper()
	l, err := netlink.LinkByName(name)
	b.must(err)
	return l
}

// state is what a daemon changes, at both ends.
func (b *hostBed) state() (state string) {
	b.t.Helper()
	for _, name := range []string{"near", "far"} {
		a := b.link(name).Attrs()
		on, err := ethtool.Active(name)
		b.must(err)
		state += fmt.Sprintln(name, a.MTU, a.Promisc, a.Xdp != nil && a.Xdp.Attached, on)
	}
	return state
}

// program is the id of the XDP program on near.
func (b *hostBed) program() uint32 { return b.link("near").Attrs().Xdp.ProgId }

// send has the stack send a frame of so many octets from far.
func (b *hostBed) send(etherType uint16, octets int) {
	b.t.Helper()
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	b.must(err)
	defer unix.Close(fd)
	f := make([]byte, octets)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, byte(etherType >> 8), byte(etherType)})
	b.must(unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: b.link("far").Attrs().Index, Halen: 6}))
}

// receives demands that the next frame at a host has so many octets.
func (b *hostBed) receives(h *host, octets uint32) {
	b.t.Helper()
	var rx [1]frame.Desc
	for end := time.Now().Add(10 * time.Second); h.devices[0].Receive(rx[:]) == 0; time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			b.t.Fatalf("no frame of %d octets came", octets)
		}
	}
	if rx[0].Len != octets {
		b.t.Errorf("a frame of %d octets came, not %d", rx[0].Len, octets)
	}
	h.devices[0].Recycle(rx[:])
	b.must(h.devices[0].Kick())
}

// needPieces skips a test where a veth takes no frames in several chunks.
func (b *hostBed) needPieces() {
	b.t.Helper()
	if err := netif.MultiBuffer(b.link("near").Attrs().Index, attach.ModeDriver); err != nil {
		nstest.Missing(b.t, "a kernel and a driver with frames in several chunks (AF_XDP multi-buffer): "+err.Error())
	}
}

// nearLink is a link port with everything at its default.
func nearLink() model.PortSettings {
	return model.PortSettings{
		Name: "port0", Interface: "near", Role: model.RoleLink, RingSize: 64, EtherTypeData: 0x88B5, EtherTypeControl: 0x88B6,
	}
}

var fewChunks = frame.Geometry{RX: 128, TX: 64}

func (b *hostBed) open(s model.PortSettings, needMTU int) *host {
	b.t.Helper()
	h, err := openHost(s, needMTU, fewChunks, b.records, zap.NewNop())
	b.must(err)
	return h
}
