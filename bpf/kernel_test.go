package bpf

import (
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
)

func TestSince(t *testing.T) {
	for _, c := range []struct {
		major, minor uint32
		want         bool
	}{{2, 6, true}, {5, 11, true}, {200, 0, false}} {
		if got := KernelSince(c.major, c.minor); got != c.want {
			t.Errorf("Linux %d.%d or later: %v", c.major, c.minor, got)
		}
	}
}

// ofOldKernel loads programs as before Linux 5.18.
func ofOldKernel(t *testing.T) {
	before := frags
	t.Cleanup(func() { frags = before })
	frags = [2]uint32{200, 0}
}

func TestOldKernelGetsNoFlag(t *testing.T) {
	ofOldKernel(t)
	if spec, err := (Config{}).spec(1, false); err != nil || spec.Programs[steerProgUelinkSteer].Flags != 0 {
		t.Errorf("a kernel before Linux 5.18 does not load a program with flags: %+v, %v", spec, err)
	}
}

// With our program on one end of a veth the other end may have a large MTU: the program accepts frames in several
// buffers.
func TestMTUUnderTheProgram(t *testing.T) {
	needRoot(t)
	a, b := inNamespace(t)
	if !KernelSince(5, 18) {
		t.Skip("this kernel is older than Linux 5.18")
	}
	p, err := Attach(a, Config{}, attach.ModeDriver)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	other, err := netlink.LinkByIndex(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetMTU(other, 9014); err != nil {
		t.Errorf("an MTU of 9014: %v", err)
	}
}
