package bpf

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// linkID returns the number of the bpf_link that holds a program.
func linkID(t *testing.T, p *Program) link.ID {
	t.Helper()
	info, err := p.link.Info()
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

// decides demands a verdict of the program for a frame of an EtherType.
func (p *Program) decides(t *testing.T, etherType uint16, want uint32) {
	t.Helper()
	verdict, _, err := p.objects.UelinkSteer.Test(frameOf(etherType))
	if err != nil || verdict != want {
		t.Errorf("EtherType %#04x: verdict %d, %v, want %d", etherType, verdict, err, want)
	}
}

// TestReconfigure: another program is on the interface, with the link, the socket and the counters of the program
// before.
func TestReconfigure(t *testing.T) {
	socket := anySocket(t)
	for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
		t.Run(mode.String(), func(t *testing.T) {
			a, _ := inNamespace(t)
			p, err := Attach(a, Config{}, mode)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := p.Register(0, socket); err != nil {
				t.Fatal(err)
			}
			place, program := linkID(t, p), onInterface(t, a)
			p.decides(t, 0x0800, xdpRedirect)
			for _, step := range []struct {
				config      Config
				native, own uint32
			}{
				{Config{Link: true, EtherTypeData: 0x88B5, Native: attach.NativeDrop}, xdpDrop, xdpRedirect},
				{Config{Link: true, EtherTypeData: 0x88B5, Native: attach.NativePass}, xdpPass, xdpRedirect},
				{Config{Link: true, EtherTypeData: 0x9001, Native: attach.NativeDrop}, xdpDrop, xdpDrop},
				{Config{}, xdpRedirect, xdpRedirect},
			} {
				if err := p.Reconfigure(step.config); err != nil {
					t.Fatal(err)
				}
				p.decides(t, 0x0800, step.native)
				p.decides(t, 0x88B5, step.own)
				if now := onInterface(t, a); now == program || now == 0 {
					t.Errorf("%+v: program %d is on the interface, before it was %d", step.config, now, program)
				}
				if now := linkID(t, p); now != place || p.Mode() != mode {
					t.Errorf("%+v: bpf_link %d in %s mode, before it was %d", step.config, now, p.Mode(), place)
				}
				program = onInterface(t, a)
			}
			expectCounters(t, p, Counters{Data: 2, NativeSocket: 3, NativePass: 1, NativeDrop: 3})
			if err := p.Close(); err != nil || onInterface(t, a) != 0 {
				t.Errorf("after Close, %v: program %d", err, onInterface(t, a))
			}
		})
	}
}

// An interface is never without a program: any look in between shows a program.
func TestInterfaceIsNeverWithoutAProgram(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeDriver)
	defer p.Close()
	looks, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	defer looks.Close()
	done, bare := make(chan struct{}), make(chan int)
	go func() {
		without := 0
		for {
			select {
			case <-done:
				bare <- without
				return
			default:
			}
			if dev, err := looks.LinkByIndex(a); err != nil || dev.Attrs().Xdp == nil || !dev.Attrs().Xdp.Attached {
				without++
			}
		}
	}()
	for i := range 100 {
		if err := p.Reconfigure(Config{Link: i%2 == 0}); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	if n := <-bare; n > 0 {
		t.Errorf("%d times there was none", n)
	}
}

// A program that cannot be replaced stays.
func TestReconfigureDenied(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeDriver)
	before := onInterface(t, a)
	onlyCapabilities(t, unix.CAP_NET_RAW)
	err := p.Reconfigure(Config{Link: true})
	var privilege *PrivilegeError
	if !errors.As(err, &privilege) || !errors.Is(err, fs.ErrPermission) || len(privilege.Missing) != 2 {
		t.Errorf("%v is no PrivilegeError", err)
	}
	if now := onInterface(t, a); now != before {
		t.Errorf("program %d took the place of %d", now, before)
	}
}

func TestReconfigureAfterTheInterfaceHasGone(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeDriver)
	dev, err := netlink.LinkByIndex(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(dev); err != nil {
		t.Fatal(err)
	}
	err = p.Reconfigure(Config{})
	if !errors.Is(err, unix.ENOLINK) || !strings.HasPrefix(err.Error(), "a: replace the XDP program: ") ||
		!strings.Contains(err.Error(), "the interface has gone") {
		t.Errorf("%v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
