package bpf

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"uelink/internal/netns/nstest"
)

// passing returns an XDP program that passes all frames on.
func passing(t *testing.T) *ebpf.Program {
	t.Helper()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "another", Type: ebpf.XDP, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return program
}

// The command in the error takes a foreign program off, whatever its mode, typed as printed.
func TestRemovalOfAnotherProgram(t *testing.T) {
	for name, flags := range map[string]int{"driver": 4, "generic": 2} { // XDP_FLAGS_DRV_MODE, XDP_FLAGS_SKB_MODE
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("ip"); err != nil {
				nstest.Missing(t, "ip (Debian package iproute2)")
			}
			a, _ := inNamespace(t)
			dev, err := netlink.LinkByIndex(a)
			if err == nil {
				err = netlink.LinkSetXdpFdWithFlags(dev, passing(t).FD(), flags)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, command, _ := strings.Cut(CheckFree(a).Error(), "take it off (")
			command = strings.TrimSuffix(command, ")")
			if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", command, err, out)
			}
			if err := CheckFree(a); err != nil {
				t.Errorf("after %s: %v", command, err)
			}
		})
	}
}

// The command for a program that a bpf_link holds has the number of the link.
func TestRemovalOfAProgramOfALink(t *testing.T) {
	a, _ := inNamespace(t)
	l, err := link.AttachXDP(link.XDPOptions{Program: passing(t), Interface: a})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var occupied *OccupiedError
	if !errors.As(CheckFree(a), &occupied) {
		t.Fatal("no program is seen")
	}
	number, ok := strings.CutPrefix(occupied.Removal, "bpftool link detach id ")
	id, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil {
		t.Fatalf("%s", occupied.Removal)
	}
	held, err := link.NewFromID(link.ID(id))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := held.Detach(); err != nil {
		t.Error(err)
	}
	if err := CheckFree(a); err != nil {
		t.Errorf("after the link's end: %v", err)
	}
}
