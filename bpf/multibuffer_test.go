package bpf

import (
	"errors"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
)

// A veth takes frames in several buffers in the driver, the loopback interface only in generic mode.
func TestMultiBuffer(t *testing.T) {
	needRoot(t)
	a, _ := inNamespace(t)
	if !since(linuxMultiBuffer) {
		t.Skip("this kernel is older than Linux 6.6")
	}
	for _, mode := range []Mode{ModeDriver, ModeGeneric} {
		if err := MultiBuffer(a, mode); err != nil {
			t.Errorf("%v mode: %v", mode, err)
		}
	}
	if err := MultiBuffer(1, ModeGeneric); err != nil {
		t.Errorf("loopback, generic mode: %v", err)
	}
	err := MultiBuffer(1, ModeDriver)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "rx-sg") {
		t.Errorf("loopback, in the driver: %v", err)
	}
	if err := MultiBuffer(9999, ModeDriver); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an interface that is not there: %v", err)
	}
}

func TestOldKernel(t *testing.T) {
	was := linuxMultiBuffer
	defer func() { linuxMultiBuffer = was }()
	linuxMultiBuffer = version(999, 0)
	err := MultiBuffer(1, ModeGeneric)
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "6.6") {
		t.Errorf("a kernel before Linux 6.6: %v", err)
	}
	wasFrags := linuxFrags
	defer func() { linuxFrags = wasFrags }()
	linuxFrags = version(999, 0)
	if spec, err := (Config{}).spec(1); err != nil || spec.Programs[steerProgUelinkSteer].Flags != 0 {
		t.Errorf("a kernel before Linux 5.18 does not load a program with flags: %+v, %v", spec, err)
	}
}

// With our program on one end of a veth the other end may have a large MTU: it takes frames in
// several buffers.
func TestMTUUnderTheProgram(t *testing.T) {
	needRoot(t)
	a, b := inNamespace(t)
	if !since(linuxFrags) {
		t.Skip("this kernel is older than Linux 5.18")
	}
	p, err := Attach(a, Config{}, ModeDriver)
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
