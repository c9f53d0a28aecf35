package bpf

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/internal/netns/nstest"
	"uelink/wire"
)

// Return values of an XDP program.
const (
	xdpDrop     = 1
	xdpPass     = 2
	xdpRedirect = 4
)

// frameOf returns a frame of 60 octets with an EtherType.
func frameOf(etherType uint16) []byte {
	f := make([]byte, wire.MinFrameLen)
	f[12], f[13] = byte(etherType>>8), byte(etherType)
	return f
}

// loaded returns a program that is on no interface.
func loaded(t *testing.T, c Config) *Program {
	t.Helper()
	p := &Program{Attachment: &Attachment{name: "none"}, entry: -1}
	if err := p.load(c, 1); err != nil {
		t.Fatal(explain("load", err))
	}
	p.sockets = p.objects.Sockets
	t.Cleanup(func() { p.objects.Close() })
	return p
}

func TestVerdicts(t *testing.T) {
	needRoot(t)
	fd := anySocket(t)
	link := Config{Link: true, EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl}
	pass, drop, other := link, link, link
	pass.Native = attach.NativePass
	drop.Native = attach.NativeDrop
	other.EtherTypeData, other.EtherTypeControl = 0x9001, 0x9002

	for _, test := range []struct {
		name      string
		config    Config
		etherType uint16
		socket    bool
		verdict   uint32
		counted   Counters
	}{
		{"link, data", link, 0x88B5, true, xdpRedirect, Counters{Data: 1}},
		{"link, control", link, 0x88B6, true, xdpRedirect, Counters{Control: 1}},
		{"link, LLDP", link, 0x88CC, true, xdpPass, Counters{LLDP: 1}},
		{"link, data, no socket", link, 0x88B5, false, xdpPass, Counters{NoSocket: 1}},
		{"link, control, no socket", link, 0x88B6, false, xdpPass, Counters{NoSocket: 1}},
		{"link, native to the socket", link, 0x0800, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"link, VLAN tag to the socket", link, 0x8100, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"link, native to the socket, no socket", link, 0x0800, false, xdpPass, Counters{NoSocket: 1}},
		{"link, native to the kernel", pass, 0x0800, true, xdpPass, Counters{NativePass: 1}},
		{"link, native dropped", drop, 0x0800, true, xdpDrop, Counters{NativeDrop: 1}},
		{"link, native dropped, but not LLDP", drop, 0x88CC, true, xdpPass, Counters{LLDP: 1}},
		{"link, native dropped, but not data", drop, 0x88B5, true, xdpRedirect, Counters{Data: 1}},
		{"link, other EtherTypes, data", other, 0x9001, true, xdpRedirect, Counters{Data: 1}},
		{"link, other EtherTypes, control", other, 0x9002, true, xdpRedirect, Counters{Control: 1}},
		{"link, other EtherTypes, default data is native", other, 0x88B5, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"edge, IPv4", Config{}, 0x0800, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"edge, no socket", Config{}, 0x0800, false, xdpPass, Counters{NoSocket: 1}},
		{"edge, LLDP", Config{}, 0x88CC, true, xdpPass, Counters{LLDP: 1}},
		{"edge, a host's frame under our EtherType", Config{}, 0x88B5, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"edge, EtherType 0", Config{}, 0, true, xdpRedirect, Counters{NativeSocket: 1}},
		{"edge takes no native action", Config{Native: attach.NativeDrop}, 0x0800, true, xdpRedirect, Counters{NativeSocket: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := loaded(t, test.config)
			if test.socket {
				if err := p.Register(0, fd); err != nil {
					t.Fatal(err)
				}
			}
			in := frameOf(test.etherType)
			verdict, out, err := p.objects.UelinkSteer.Test(in)
			if err != nil {
				t.Fatal(err)
			}
			if verdict != test.verdict {
				t.Errorf("verdict %d, want %d", verdict, test.verdict)
			}
			if !reflect.DeepEqual(out, in) {
				t.Errorf("the frame was changed: % x", out)
			}
			expectCounters(t, p, test.counted)
		})
	}
}

// TestPump: an edge passes the broadcast frames from PumpAddress to the kernel, though a socket is there, and no frames
// that resemble them.
func TestPump(t *testing.T) {
	needRoot(t)
	fd := anySocket(t)
	link := Config{Link: true, EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl}
	for _, test := range []struct {
		name    string
		config  Config
		to      byte
		last    byte // added to the last octet of the source address
		verdict uint32
		counted Counters
	}{
		{"edge", Config{}, 0xff, 0, xdpPass, Counters{Pump: 1}},
		{"edge, to one station", Config{}, 0x02, 0, xdpRedirect, Counters{NativeSocket: 1}},
		{"edge, from a host", Config{}, 0xff, 1, xdpRedirect, Counters{NativeSocket: 1}},
		{"link", link, 0xff, 0, xdpRedirect, Counters{NativeSocket: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := loaded(t, test.config)
			if err := p.Register(0, fd); err != nil {
				t.Fatal(err)
			}
			f, from := frameOf(0x0800), PumpAddress()
			f[0] = test.to
			copy(f[6:], from[:])
			f[11] += test.last
			verdict, _, err := p.objects.UelinkSteer.Test(f)
			if err != nil {
				t.Fatal(err)
			}
			if verdict != test.verdict {
				t.Errorf("verdict %d, want %d", verdict, test.verdict)
			}
			expectCounters(t, p, test.counted)
		})
	}
}

// TestRunt runs the program on fewer than the 14 octets that a test run demands, by declaring the first 4 of them
// metadata.
func TestRunt(t *testing.T) {
	needRoot(t)
	const meta = 4
	for _, test := range []struct {
		length  uint32
		verdict uint32
		counted Counters
	}{
		{1, xdpDrop, Counters{Runt: 1}},
		{wire.HeaderLen - 1, xdpDrop, Counters{Runt: 1}},
		{wire.HeaderLen, xdpPass, Counters{NoSocket: 1}},
	} {
		p := loaded(t, Config{})
		verdict, err := p.objects.UelinkSteer.Run(&ebpf.RunOptions{
			Data:    make([]byte, wire.HeaderLen+meta),
			DataOut: make([]byte, wire.MinFrameLen),
			Context: struct{ Data, DataEnd, DataMeta, Ifindex, Queue, Egress uint32 }{Data: meta, DataEnd: meta + test.length},
		})
		if err != nil {
			t.Fatal(err)
		}
		if verdict != test.verdict {
			t.Errorf("%d octets: verdict %d, want %d", test.length, verdict, test.verdict)
		}
		expectCounters(t, p, test.counted)
	}
}

// TestCountersAddUp runs frames of several kinds through one program. Each frame is a run of its own: a signal ends
// a run with repeats, which then starts from the beginning.
func TestCountersAddUp(t *testing.T) {
	needRoot(t)
	p := loaded(t, Config{Link: true, EtherTypeData: 0x88B5, EtherTypeControl: 0x88B6, Native: attach.NativePass})
	for n, etherType := range []uint16{0x88CC, 0x0800, 0x88B5} {
		for range 10 * (n + 1) {
			_, err := p.objects.UelinkSteer.Run(&ebpf.RunOptions{Data: frameOf(etherType), DataOut: make([]byte, 128)})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	expectCounters(t, p, Counters{LLDP: 10, NativePass: 20, NoSocket: 30})
}

// TestNoSocketByQueue: frames without a socket are counted by RX queue, also after a Reconfigure.
func TestNoSocketByQueue(t *testing.T) {
	socket := anySocket(t)
	nstest.Enter(t)
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "a", NumRxQueues: 4, NumTxQueues: 4}, PeerName: "b"}
	if err := netlink.LinkAdd(pair); err != nil {
		t.Fatal(err)
	}
	p, err := Attach(pair.Index, Config{}, attach.ModeDriver)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Register(1, socket); err != nil {
		t.Fatal(err)
	}
	come := func(frames ...uint32) {
		for queue, n := range frames {
			in := struct{ Data, DataEnd, DataMeta, Ifindex, Queue, Egress uint32 }{
				DataEnd: uint32(len(frameOf(0x0800))), Ifindex: uint32(pair.Index), Queue: uint32(queue),
			}
			for range n {
				_, err := p.objects.UelinkSteer.Run(&ebpf.RunOptions{
					Data: frameOf(0x0800), DataOut: make([]byte, 128), Context: in,
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	come(1, 5, 3, 2)
	if err := p.Reconfigure(Config{Link: true, Native: attach.NativeSocket}); err != nil {
		t.Fatal(err)
	}
	come(10)
	missed, err := p.NoSocket()
	if want := []uint64{11, 0, 3, 2}; err != nil || !slices.Equal(missed, want) {
		t.Errorf("by queue %d, want %d, %v", missed, want, err)
	}
	expectCounters(t, p, Counters{NativeSocket: 5, NoSocket: 16})
}

func expectCounters(t *testing.T, p *Program, want Counters) {
	t.Helper()
	got, err := p.Counters()
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// A closed socket leaves the map by itself, and its frames go to the kernel.
func TestClosedSocketLeavesItsFramesToTheKernel(t *testing.T) {
	needRoot(t)
	p := loaded(t, Config{})
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Register(0, fd); err != nil {
		t.Fatal(err)
	}
	for _, want := range []uint32{xdpRedirect, xdpPass} {
		if verdict, _, err := p.objects.UelinkSteer.Test(frameOf(0x0800)); err != nil || verdict != want {
			t.Errorf("verdict %d, %v, want %d", verdict, err, want)
		}
		unix.Close(fd)
	}
}

func TestRegisterRefuses(t *testing.T) {
	needRoot(t)
	p := loaded(t, Config{})
	fd := anySocket(t)
	for _, queue := range []int{-1, 1, 64} {
		if err := p.Register(queue, fd); err == nil {
			t.Errorf("queue %d of an interface with one queue was taken", queue)
		}
	}
	if err := p.Register(0, 0); err == nil {
		t.Error("a descriptor that is no AF_XDP socket was taken")
	}
	if err := (&Attachment{name: "none"}).Register(0, fd); err == nil {
		t.Error("a program without a map took a socket")
	}
}

// LLDP is for the kernel also behind the tag of a priority or of a native VLAN, if no bridge has forwarded it.
func TestTaggedLLDP(t *testing.T) {
	needRoot(t)
	fd := anySocket(t)
	drop := Config{
		Link: true, EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl, Native: attach.NativeDrop,
	}
	for name, c := range map[string]struct {
		config  Config
		address [6]byte
		inner   uint16
		octets  int
		verdict uint32
	}{
		"link":                     {drop, [6]byte{0x01, 0x80, 0xC2, 0, 0, 0x0E}, 0x88CC, 60, xdpPass},
		"edge":                     {Config{}, [6]byte{0x01, 0x80, 0xC2, 0, 0, 0}, 0x88CC, 60, xdpPass},
		"no LLDP":                  {Config{}, [6]byte{0x01, 0x80, 0xC2, 0, 0, 0x0E}, 0x88CD, 60, xdpRedirect},
		"another group":            {Config{}, [6]byte{0x01, 0x80, 0xC2, 0, 0, 0x10}, 0x88CC, 60, xdpRedirect},
		"a station":                {Config{}, [6]byte{0x02, 0x80, 0xC2, 0, 0, 0x0E}, 0x88CC, 60, xdpRedirect},
		"a frame that ends before": {Config{}, [6]byte{0x01, 0x80, 0xC2, 0, 0, 0x0E}, 0x88CC, 17, xdpRedirect},
	} {
		t.Run(name, func(t *testing.T) {
			p := loaded(t, c.config)
			if err := p.Register(0, fd); err != nil {
				t.Fatal(err)
			}
			in := frameOf(0x8100)
			copy(in, c.address[:])
			in[15], in[16], in[17] = 1, byte(c.inner>>8), byte(c.inner)
			verdict, _, err := p.objects.UelinkSteer.Test(in[:c.octets])
			if err != nil || verdict != c.verdict {
				t.Errorf("verdict %d, want %d: %v", verdict, c.verdict, err)
			}
		})
	}
}
