package dataplane

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/wire"
)

// twoTags returns a numbered frame of the given length with an S-VLAN tag and a C-VLAN tag.
func twoTags(octets int, number uint64) []byte {
	f := make([]byte, octets)
	copy(f, frametest.Numbered(make([]byte, 256), number)[:12])
	copy(f[12:], []byte{0x88, 0xa8, 0, 200, 0x81, 0, 0x60, 100, 0x90, 0x01})
	binary.BigEndian.PutUint64(f[22:], number)
	return f
}

// allFrames returns a packet socket at a host that gets the frames of every EtherType.
func (l *linkBed) allFrames(ifname string) *os.File {
	l.t.Helper()
	fd := l.socket(ifname, true)
	const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xff00
	l.must(unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: l.link(ifname).Attrs().Index}))
	f := os.NewFile(uintptr(fd), ifname)
	l.t.Cleanup(func() { f.Close() })
	return f
}

// The edge's end of a veth has room for a second tag where the links carry it. An MTU that somebody has chosen stays.
func TestMTUForTwoTags(t *testing.T) {
	for _, c := range []struct {
		name               string
		near, far, carries int
		ours               bool
		want               int
	}{
		{"links without room", 1500, 1500, 1500, false, 1500},
		{"links with room", 1500, 1500, 1504, false, 1504},
		{"as before", 1504, 1500, 1504, true, 1504},
		{"links lost their room", 1504, 1500, 1500, true, 1500},
		{"the host has less", 1504, 1400, 1504, true, 1404},
		{"the host has more", 1504, 9000, 9000, true, 1504},
		{"the host has more than an edge of somebody's", 1500, 9000, 9014, false, 1500},
		{"chosen", 1508, 1500, 9000, false, 1508},
		{"no link", 1500, 1500, 0, false, 1500},
		{"more than the kernel sends with a tag beside", 9000, 9000, 9100, false, 9000},
	} {
		if mtu := mtuForTags(c.near, c.far, c.carries, c.ours); mtu != c.want {
			t.Errorf("%s: %d, want %d", c.name, mtu, c.want)
		}
	}
}

// Hosts with an MTU of 1500 exchange full frames with two VLAN tags over links that carry them, in order with shorter
// frames, and nothing counts as dropped. The links keep their MTU meanwhile, and the edges get back theirs at the end.
func TestFullFramesWithTwoTags(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	for _, name := range []string{"la", "lb"} {
		l.must(netlink.LinkSetMTU(l.link(name), 1518))
	}
	home, err := os.Open("/proc/thread-self/ns/net")
	l.must(err)
	defer home.Close()
	for _, d := range []*Dataplane{l.a, l.b} {
		d.groups[0].worker.Do(func(wire.Time) { err = unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) })
		l.must(err)
		d.reconcile()
		d.survey(surveyEvery)
	}
	for name, want := range map[string]int{"ha": 1500, "ea": 1504, "eb": 1504, "hb": 1500} {
		if mtu := l.link(name).Attrs().MTU; mtu != want {
			t.Errorf("the MTU of %s is %d, want %d", name, mtu, want)
		}
	}
	to := l.allFrames("hb")
	host, err := bpf.NewTagSender(l.link("ha").Attrs().Index)
	l.must(err)
	t.Cleanup(func() { host.Close() })
	lengths := []int{1522, 60, 1522, 1521, 1518, 200}
	buf := make([]byte, 2048)
	for n := range uint64(300) {
		octets := lengths[n%uint64(len(lengths))]
		l.must(host.Send(twoTags(octets, n)))
		l.must(to.SetReadDeadline(time.Now().Add(10 * time.Second)))
		got, err := to.Read(buf)
		if err != nil {
			t.Fatalf("frame %d of %d octets: %v", n, octets, err)
		}
		// Of a frame with a tag beside the socket reports the frame without this tag.
		if number := binary.BigEndian.Uint64(buf[18:]); got != octets-wire.VLANTagLen || number != n {
			t.Fatalf("%d octets of frame %d came for frame %d of %d", got, number, n, octets)
		}
	}
	for name, d := range map[string]*Dataplane{"ea": l.a, "eb": l.b} {
		d.survey(2 * surveyEvery)
		s := l.state(d, name)
		if rx, tx := s.Dropped(); rx+tx != 0 || s.Fault != "" {
			t.Errorf("%s: RX dropped %d, TX dropped %d, %q", name, rx, tx, s.Fault)
		}
	}
	l.must(netlink.LinkSetMTU(l.link("la"), 1514))
	l.a.reconcile()
	l.a.survey(3 * surveyEvery)
	if edge, link := l.link("ea").Attrs().MTU, l.link("la").Attrs().MTU; edge != 1500 || link != 1514 {
		t.Errorf("with less room on the link the edge has %d and the link %d", edge, link)
	}
	l.must(l.b.Close())
	if mtu := l.link("eb").Attrs().MTU; mtu != 1500 {
		t.Errorf("at the end the edge has %d", mtu)
	}
}
