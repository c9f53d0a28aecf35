package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// steer puts the steering program of an edge port on an interface.
func steer(mode attach.Mode) func(ifindex int) (Program, error) {
	return func(ifindex int) (Program, error) { return bpf.Attach(ifindex, bpf.Config{}, mode) }
}

// small is the options of sockets with few chunks.
func small() *Sockets {
	g := frame.Geometry{ChunkSize: SmallChunk, RX: 128, TX: 16}
	return &Sockets{Options: xsk.Options{RingSize: 64, Geometry: g}}
}

func everything() Options {
	return Options{Attach: steer(attach.ModeAuto), Offloads: OffloadsOffAtBothEnds, Sockets: small()}
}

func TestTakeAndRelease(t *testing.T) {
	for name, o := range map[string]Options{
		"everything":          everything(),
		"program only":        {Attach: steer(attach.ModeDriver)},
		"in the stack":        {Attach: steer(attach.ModeGeneric), Sockets: small()},
		"offloads of one end": {Attach: steer(attach.ModeAuto), Offloads: OffloadsOff},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.do(func() {
				i := w.mustOwn()
				if i.Link().Attrs().Name != "near" || i.Link().Attrs().MTU != 1500 || i.Program() != nil {
					t.Errorf("owned: %+v", i.Link().Attrs())
				}
				must(t, i.Attach(o))
				w.taken(o, i)
				must(t, i.Release())
				must(t, i.Release())
				if i.Program() != nil || len(i.Sockets()) > 0 {
					t.Error("after Release there is a program, or a socket")
				}
			})
			w.expect(before, "after Release")
			w.noFiles()
		})
	}
}

// taken compares the interface with the options of Attach.
func (w *world) taken(o Options, i *Interface) {
	w.t.Helper()
	l, err := w.near.Link("near")
	must(w.t, err)
	if l.Promisc != 1 || l.Xdp == nil || !l.Xdp.Attached || i.Program() == nil {
		w.t.Errorf("promiscuity %d, XDP %+v", l.Promisc, l.Xdp)
	}
	if want := o.Sockets != nil; len(i.Sockets()) == 1 != want {
		w.t.Errorf("%d sockets", len(i.Sockets()))
	}
	if off := len(i.record.Offloads) > 0; off != (o.Offloads >= OffloadsOff) {
		w.t.Errorf("offloads %v", i.record.Offloads)
	}
	if off := len(i.record.Peer) > 0; off != (o.Offloads == OffloadsOffAtBothEnds) {
		w.t.Errorf("offloads of the other end %v", i.record.Peer)
	}
	if n := w.countLogged("changed the interface"); n != 1+int(o.Offloads) {
		w.t.Errorf("%d changes are said", n)
	}
}

// deaf is a program that refuses to register any queue.
type deaf struct{ Program }

func (deaf) Register(queue, _ int) error { return fmt.Errorf("near: there is no queue %d", queue) }

// An interface without Ethernet frames is refused: a program would see IP packets there, and nothing would cross.
func TestInterfaceWithoutEthernet(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		if err := netlink.LinkAdd(&netlink.Tuntap{
			LinkAttrs: netlink.LinkAttrs{Name: "tun0"}, Mode: netlink.TUNTAP_MODE_TUN,
		}); err != nil {
			t.Skipf("there can be no tun: %v", err)
		}
		_, err := OpenRecords(w.dir, w.log).Own("tun0", w.log)
		if !errors.Is(err, ErrNoEthernet) ||
			!strings.HasPrefix(err.Error(), "tun0: the interface carries no Ethernet frames") {
			t.Errorf("%v", err)
		}
	})
	w.noFiles()
}

// The error of a failed step names the step, the interface and the remedy, and all steps before are undone.
func TestStepThatFails(t *testing.T) {
	refuse := func(err error) func(o *Options) {
		return func(o *Options) { o.Attach = func(int) (Program, error) { return nil, err } }
	}
	for _, c := range []struct {
		name   string
		change func(o *Options)
		text   string
		target error
		begun  bool // something was changed before
	}{
		{"too many queues", func(o *Options) { o.Sockets.Queues = attach.FirstQueues(2) },
			"near: queues: 0-1, but the interface has 1 RX queues", ErrQueues, false},
		{"no such TX queue", func(o *Options) { o.Sockets.TxQueue = attach.TxQueue{Given: true, Number: 1} },
			"near: tx_queue: 1, but sockets are on the queues 0: name other queues", ErrQueues, false},
		{"program", refuse(errors.New("near: no")), "near: no", nil, true},
		{"privilege", refuse(fmt.Errorf("near: load: %w", unix.EPERM)),
			"near: load: operation not permitted: run as root", fs.ErrPermission, true},
		{"socket", func(o *Options) { o.Sockets.RingSize = 63 },
			"near queue 0: AF_XDP socket: ring size 63", nil, true},
		{"zero copy", func(o *Options) { o.Sockets.Bind = attach.BindZeroCopy },
			"bind with auto or copy", errors.ErrUnsupported, true},
		{"queue", func(o *Options) {
			o.Attach = func(ifindex int) (Program, error) {
				p, err := bpf.Attach(ifindex, bpf.Config{}, attach.ModeAuto)
				return deaf{p}, err
			}
		}, "near: there is no queue 0", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.do(func() {
				i := w.mustOwn()
				o := everything()
				c.change(&o)
				err := i.Attach(o)
				if err == nil || !strings.Contains(err.Error(), c.text) || c.target != nil && !errors.Is(err, c.target) {
					t.Errorf("%v", err)
				}
				if begun := w.countLogged("changed the interface") > 0; begun != c.begun {
					t.Errorf("something was changed before: %v", begun)
				}
				must(t, i.Release())
			})
			w.expect(before, "after Release")
			w.noFiles()
		})
	}
}

// However deep a missing privilege is found, the remedy is named once.
func TestAdviceIsGivenOnce(t *testing.T) {
	for name, err := range map[string]error{
		"set by netlink": unix.EPERM,
		"program":        &bpf.PrivilegeError{Missing: []string{"CAP_BPF"}, Err: unix.EPERM},
		"socket":         fmt.Errorf("queue 0: %w", &xsk.PrivilegeError{Err: unix.EPERM}),
	} {
		got := advise(err)
		if n := strings.Count(got.Error(), "run as root"); n != 1 || !errors.Is(got, fs.ErrPermission) {
			t.Errorf("%s: %d times in %v", name, n, got)
		}
	}
	if err := advise(unix.EBUSY); err != unix.EBUSY {
		t.Errorf("%v", err)
	}
}

// An interface that cannot be owned is refused before any change. Its record stays.
func TestInterfaceThatCannotBeOwned(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		r := OpenRecords(w.dir, w.log)
		if _, err := r.Own("nowhere", w.log); !errors.Is(err, ErrNone) || !strings.HasPrefix(err.Error(), "nowhere: ") {
			t.Errorf("one that is not there: %v", err)
		}
		original := w.state()
		kill(w.changed())
		program, err := steer(attach.ModeAuto)(w.index())
		must(t, err)
		before := w.state()
		var occupied *bpf.OccupiedError
		if _, err := r.Own("near", w.log); !errors.As(err, &occupied) ||
			occupied.Interface != "near" || occupied.Program != "uelink_steer" {
			t.Errorf("one with a program on it: %v", err)
		}
		w.expect(before, "after it was refused")
		if files := w.files(); len(files) != 1 {
			t.Errorf("files %q", files)
		}
		must(t, program.Close())
		must(t, w.mustOwn().Release())
		w.expect(original, "after it was had")
	})
	w.noFiles()
}

// An interface may go while it is owned.
func TestReleaseOfAnInterfaceThatHasGone(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		nl, err := netlink.LinkByName("near")
		must(t, err)
		must(t, netlink.LinkDel(nl))
		must(t, i.Release())
	})
	w.noFiles()
}

// An interface attached for groups is not promiscuous, until SetPromiscuous.
func TestGroupsInThePlaceOfPromiscuousMode(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	w.do(func() {
		group := wire.DiscoveryDA
		i := w.mustOwn()
		o := everything()
		o.Groups, o.NotPromiscuous = []wire.MAC{group, wire.ControlDA}, true
		must(t, i.Attach(o))
		w.hears(0, true)
		for _, on := range []bool{true, true, false, false, true} {
			must(t, i.SetPromiscuous(on))
			w.hears(map[bool]int{true: 1}[on], true)
		}
		must(t, i.Release())
		w.hears(0, false)
	})
	w.expect(before, "after Release")
}

// hears demands a promiscuity of "near", and that "near" does, or does not, receive frames for the group of
// addressed links.
func (w *world) hears(promiscuity int, group bool) {
	w.t.Helper()
	l, err := w.near.Link("near")
	must(w.t, err)
	groups, err := os.ReadFile("/proc/thread-self/net/dev_mcast")
	must(w.t, err)
	if l.Promisc != promiscuity || strings.Contains(string(groups), "0375656c6e6b") != group {
		w.t.Errorf("promiscuity %d, groups:\n%s", l.Promisc, groups)
	}
}
