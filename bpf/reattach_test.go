package bpf

import (
	"errors"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
)

// detach detaches the link of a program, like `bpftool link detach`.
func detach(t *testing.T, program uint32) {
	t.Helper()
	links := new(link.Iterator)
	defer links.Close()
	for links.Next() {
		info, err := links.Link.Info()
		if err == nil && info.Program == ebpf.ProgramID(program) {
			if err := links.Link.Detach(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("program %d has no link: %v", program, links.Err())
}

func (p *Program) isThere(t *testing.T, want bool) {
	t.Helper()
	if there, err := p.IsAttached(); err != nil || there != want {
		t.Errorf("the program is there: %v, %v, want %v", there, err, want)
	}
}

// A detached program is attached again, in the same mode.
func TestReattach(t *testing.T) {
	a, _ := inNamespace(t)
	for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
		p := attached(t, a, mode)
		id := onInterface(t, a)
		p.isThere(t, true)
		detach(t, id)
		p.isThere(t, false)
		for range 2 { // also when it is there
			if err := p.Reattach(); err != nil {
				t.Fatal(err)
			}
			p.isThere(t, true)
			if now := onInterface(t, a); now != id || p.Mode() != mode {
				t.Errorf("program %d in %s mode, not %d in %s mode", now, p.Mode(), id, mode)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if onInterface(t, a) != 0 {
			t.Error("Close left the program on the interface")
		}
		p.isThere(t, false)
	}
}

// Another program on the interface is named in the error, and Reattach succeeds when that program has gone.
func TestReattachToAnInterfaceThatIsTaken(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeDriver)
	defer p.Close()
	detach(t, onInterface(t, a))
	other := attached(t, a, attach.ModeGeneric)
	for range 2 {
		var occupied *OccupiedError
		if err := p.Reattach(); !errors.As(err, &occupied) || !strings.Contains(err.Error(), "uelink_steer") {
			t.Errorf("%v", err)
		}
		p.isThere(t, false)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Reattach(); err != nil {
		t.Error(err)
	}
	p.isThere(t, true)
}

func TestThereOfAnInterfaceThatHasGone(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeDriver)
	defer p.Close()
	dev, err := netlink.LinkByIndex(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(dev); err != nil {
		t.Fatal(err)
	}
	p.isThere(t, false)
	if err := p.Reattach(); err == nil {
		t.Error("a program was put on an interface that has gone")
	}
}

func TestSeenIsEveryVerdict(t *testing.T) {
	c := Counters{Data: 1, Control: 2, LLDP: 4, NativeSocket: 8, NativePass: 16, NativeDrop: 32, NoSocket: 64, Runt: 128,
		Pump: 256}
	if got := c.Seen(); got != 511 {
		t.Errorf("%d frames were seen, not 511", got)
	}
}
