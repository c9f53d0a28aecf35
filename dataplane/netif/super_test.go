package netif

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/vnet"
)

// An interface without an XDP program is taken as long as a process holds it for super-frames, and its number is known.
func TestInterfaceHeldForSuperFrames(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i, err := net.InterfaceByName("near")
		must(t, err)
		must(t, checkFree(i.Index))
		held, err := holdForSuper(i.Index)
		must(t, err)
		_, err = w.own()
		if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("held: %v", err)
		}
		if _, err := holdForSuper(i.Index); !errors.Is(err, unix.EADDRINUSE) {
			t.Errorf("held twice: %v", err)
		}
		must(t, checkFree(i.Index+1))
		must(t, held.Close())
		must(t, checkFree(i.Index))
	})
}

// Whoever may listen at the address, but is neither root nor the daemon's user, does not keep a daemon from it.
func TestStrangerHoldsNothing(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		const index, nobody, same = 7777, 65534, ^uintptr(0)
		setUser := func(id uintptr) { // of this thread alone
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, same, id, same); errno != 0 {
				t.Fatal(errno)
			}
		}
		setUser(nobody)
		held, err := holdForSuper(index)
		setUser(0)
		must(t, err)
		must(t, checkFree(index))
		must(t, held.Close())
	})
}

// A process that is killed leaves the filter, and the next one removes it.
func TestFilterOfAKilledProcess(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		s, err := i.SuperFrames().Open()
		must(t, err)
		id := i.record.GuardID
		kill(i)
		must(t, errors.Join(i.super.lock.Close(), s.Close()))
		if !Shielded(i.link, id) {
			t.Fatal("there is no filter")
		}
		next := w.mustOwn()
		if Shielded(next.link, id) || next.record.Guard {
			t.Error("the filter stays")
		}
		must(t, next.Release())
	})
}

// The filter is there once, also if somebody removes it, and goes at the end.
func TestFilterOfSuperFrames(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		s, err := i.SuperFrames().Open()
		must(t, err)
		if there, err := i.SuperFrames().Guarded(); !there || err != nil {
			t.Errorf("there %v, %v", there, err)
		}
		must(t, unshield(i.link, i.record.GuardID))
		if there, err := i.SuperFrames().Guarded(); there || err != nil || !Shielded(i.link, i.record.GuardID) {
			t.Errorf("removed by somebody: there %v, %v", there, err)
		}
		must(t, errors.Join(s.Close(), i.SuperFrames().Close()))
		if Shielded(i.link, 0) {
			t.Error("the filter stays")
		}
		must(t, i.Release())
	})
}

// Super-frames switch GRO on, and leave it off where it was off: at their end, and when the process is killed and the
// next one puts the interface back.
func TestGROIsOffAgain(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		demand := func(when string, want bool) {
			t.Helper()
			on, err := ethtool.Active("near")
			must(t, err)
			if slices.Contains(on, gro) != want {
				t.Errorf("%s GRO is %v", when, !want)
			}
		}
		demand("before", false)
		i := w.mustOwn()
		must(t, i.offloads.keepNAPI())
		demand("with super-frames", true)
		kill(i)
		i = w.mustOwn()
		demand("after a kill", false)
		must(t, i.offloads.keepNAPI())
		must(t, i.offloads.set(OffloadsOff))
		must(t, i.Release())
		demand("at the end", false)
		_, _, err := ethtool.Enable("near", []string{gro})
		must(t, err)
		i = w.mustOwn()
		must(t, i.offloads.set(OffloadsOff))
		must(t, i.offloads.keepNAPI())
		kill(i)
		must(t, w.mustOwn().Release())
		demand("where it was on,", true)
	})
}

// Without CAP_NET_ADMIN the kernel grants no more than net.core.rmem_max, and super-frames do not begin.
func TestSmallReceiveBuffer(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		const rmemMax = "/proc/sys/net/core/rmem_max"
		text, err := os.ReadFile(rmemMax)
		must(t, err)
		if octets, _ := strconv.Atoi(strings.TrimSpace(string(text))); 2*octets >= vnet.LeastRoom {
			t.Skipf("net.core.rmem_max is %d, from Linux 6.18 on its default: every process gets enough", octets)
		}
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var all, few [2]unix.CapUserData
		must(t, unix.Capget(&header, &all[0]))
		few = all
		few[0].Effective = 1 << unix.CAP_NET_RAW
		must(t, unix.Capset(&header, &few[0])) // of this thread alone
		s, err := i.SuperFrames().Open()
		must(t, unix.Capset(&header, &all[0]))
		if s != nil || err == nil || !strings.Contains(err.Error(), "net.core.rmem_max") {
			t.Errorf("socket %v, error %v", s, err)
		}
		must(t, checkFree(i.index))
		must(t, i.Release())
	})
}
