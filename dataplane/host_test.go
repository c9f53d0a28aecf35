package dataplane

import (
	"errors"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

func TestHostPutsTheInterfaceBack(t *testing.T) {
	edge := nearLink()
	edge.Role = model.RoleEdge
	for _, c := range []struct {
		settings model.PortSettings
		need     int
	}{{nearLink(), 1600}, {edge, 0}} {
		t.Run(c.settings.Role.String(), func(t *testing.T) {
			b := newHostBed(t)
			before := b.state()
			h := b.open(c.settings, c.need)
			near := b.link("near").Attrs()
			if h.mtu != near.MTU || h.mtu < c.need || h.ifindex != near.Index ||
				string(h.mac[:]) != string(near.HardwareAddr) {
				t.Errorf("%+v, the interface: %+v", h, near)
			}
			if len(h.sockets) != 1 || len(h.devices) != 1 || h.chunk != 2048 || h.program.Mode() != attach.ModeDriver {
				t.Errorf("%d sockets, %d devices, %+v, %s mode", len(h.sockets), len(h.devices), h, h.program.Mode())
			}
			if b.state() == before {
				t.Error("nothing was changed")
			}
			h.close()
			if after := b.state(); after != before {
				t.Errorf("afterwards it is\n%s\nnot\n%s", after, before)
			}
		})
	}
}

// The exit codes are a contract: 2 is the configuration's fault, 3 the host's.
func TestHostThatCannotBeOpened(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   int
		need   int
		change func(b *hostBed, s *model.PortSettings)
		text   string
	}{
		{"no interface", 2, 0, func(_ *hostBed, s *model.PortSettings) { s.Interface = "none" },
			"there is no interface none in this network namespace: create it"},
		{"occupied", 3, 0, (*hostBed).occupy,
			`port0: take over near: device or resource busy: another XDP program "uelink_steer"`},
		{"checked MTU", 2, 1600, func(_ *hostBed, s *model.PortSettings) { s.MTU = model.MTUCheck },
			"the MTU of near is 1500, and 1600 are needed: 1586 of the edge port and 14 of the shim"},
		{"refused MTU", 2, 3700, (*hostBed).occupyFar, "near: set the MTU from 1500 to 3700: "},
		{"MTU of too many chunks", 2, 16367, func(*hostBed, *model.PortSettings) {},
			"an MTU of 16367 on near does not fit 4 chunks of a chunk_size of 4096, which carry up to 16366: lower the MTU"},
		{"one chunk only", 2, 3823, (*hostBed).oneChunk,
			"frames of an MTU of 3823 on near take up to 2 chunks of 4096 octets: its driver takes no more: " +
				"lower the MTU to 3822, which one chunk carries, or set xdp: generic"},
		{"queues", 2, 0, func(_ *hostBed, s *model.PortSettings) { s.Queues = attach.FirstQueues(2) },
			"near: queues: 0-1, but the interface has 1 RX queues, numbered from 0: name other queues, or have the interface use more"},
		{"queue for what leaves", 2, 0, func(_ *hostBed, s *model.PortSettings) { s.TxQueue = attach.TxQueue{Given: true, Number: 4} },
			"near: tx_queue: 4, but sockets are on the queues 0: name other queues"},
		{"socket", 3, 0, func(_ *hostBed, s *model.PortSettings) { s.RingSize = 63 },
			"near queue 0: AF_XDP socket: ring size 63"},
		{"capture", 2, 0, func(_ *hostBed, s *model.PortSettings) { s.Capture = "/proc/none/x" }, "capture: create file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, s := newHostBed(t), nearLink()
			c.change(b, &s)
			before := b.state()
			_, err := openHost(s, c.need, fewChunks, b.records, zap.NewNop())
			var coded *Error
			if !errors.As(err, &coded) || coded.ExitCode() != c.code ||
				!strings.HasPrefix(err.Error(), "port port0: ") || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
			if after := b.state(); after != before {
				t.Errorf("afterwards it is\n%s\nnot\n%s", after, before)
			}
		})
	}
}

func (b *hostBed) occupy(*model.PortSettings) { b.attach("near") }

// occupyFar puts a program on the other end that lets the veth have no MTU above 3506.
func (b *hostBed) occupyFar(*model.PortSettings) {
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, License: "MIT", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()},
	})
	b.must(err)
	a, err := bpf.AttachProgram(b.link("far").Attrs().Index, program, nil, attach.ModeDriver)
	b.must(err)
	b.t.Cleanup(func() { a.Close(); program.Close() })
}

// oneChunk has the driver be one that takes no frames in several chunks.
func (b *hostBed) oneChunk(*model.PortSettings) {
	original := multiBuffer
	b.t.Cleanup(func() { multiBuffer = original })
	multiBuffer = func(int, attach.Mode) error { return errors.New("its driver takes no more") }
}

// On a NIC whose driver loses frames, xdp: auto is generic, and that is told; xdp: driver is what it says.
func TestDriverThatIsAvoided(t *testing.T) {
	original := abilitiesOf
	t.Cleanup(func() { abilitiesOf = original })
	abilitiesOf = func(string, int) netif.Abilities { return netif.Abilities{Driver: "vmxnet3"} }
	b, s := newHostBed(t), nearLink()
	h := b.open(s, 0)
	const reason = "vmxnet3: after the driver has started its NIC anew"
	if h.program.Mode() != attach.ModeGeneric || !strings.HasPrefix(h.reasons(), reason) || len(h.notices) != 1 ||
		!strings.HasPrefix(h.notices[0], "xdp: auto is generic mode here: "+reason) {
		t.Errorf("%v mode, because of %q, notices %q", h.program.Mode(), h.reasons(), h.notices)
	}
	h.close()
	s.XDP = attach.ModeDriver
	h = b.open(s, 0)
	if h.program.Mode() != attach.ModeDriver || strings.Contains(h.reasons(), "vmxnet3") || len(h.notices) > 0 {
		t.Errorf("asked for: %v mode, because of %q, notices %q", h.program.Mode(), h.reasons(), h.notices)
	}
	h.close()
}

// attach puts a program on an interface until the test ends.
func (b *hostBed) attach(ifname string) {
	b.t.Helper()
	p, err := bpf.Attach(b.link(ifname).Attrs().Index, bpf.Config{}, attach.ModeDriver)
	b.must(err)
	b.t.Cleanup(func() { p.Close() })
}

// What a reload may change about the steering is changed in place.
func TestReprogram(t *testing.T) {
	b, s := newHostBed(t), nearLink()
	s.Native = attach.NativeDrop
	h := b.open(s, 0)
	defer h.close()
	first, devices := b.program(), h.devices[0]
	b.send(0x0800, 100) // dropped
	b.send(0x88B5, 101)
	b.receives(h, 101)
	s.Native, s.EtherTypeData = attach.NativeSocket, 0x9001
	b.must(h.reprogram(s))
	b.send(0x0800, 102)
	b.receives(h, 102)
	b.send(0x9001, 103)
	b.receives(h, 103)
	c, err := h.program.Counters()
	b.must(err)
	if want := (bpf.Counters{Data: 2, NativeSocket: 1, NativeDrop: 1}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if b.program() == first || h.devices[0] != devices || h.settings != s {
		t.Errorf("program %d, then %d; settings %+v", first, b.program(), h.settings)
	}
	b.must(netlink.LinkDel(b.link("near")))
	err = h.reprogram(s)
	if err == nil || !strings.HasPrefix(err.Error(), "port port0: near: replace the XDP program: ") {
		t.Errorf("after the interface has gone: %v", err)
	}
}
