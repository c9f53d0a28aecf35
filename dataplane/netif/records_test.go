package netif

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/dataplane/attach"
)

func TestInterfaceOfALivingProcessIsHeld(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.changed()
		during := w.state()
		OpenRecords(w.dir, w.log).PutBack()
		w.expect(during, "after PutBack")
		_, err := w.own()
		if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
			t.Errorf("a second process: %v", err)
		}
		i.Release()
		w.mustOwn().Release()
	})
}

// Two processes own the interface before one of them has changed anything.
func TestSecondToChangeIsRefused(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		one, two := w.mustOwn(), w.mustOwn()
		must(t, one.SetMTU(1600))
		if err := two.SetMTU(1700); !errors.Is(err, ErrHeld) {
			t.Errorf("the second: %v", err)
		}
		w.mtu(1600)
		two.Release()
		w.mtu(1600)
		one.Release()
	})
	w.mtu(1500)
}

// A veth has no segmentation while there is an XDP program at its other end.
func TestWhatCannotBePutBackIsKeptForTheNext(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	index, err := w.far.Ifindex("far")
	must(t, err)
	var program *bpf.Program
	w.do(func() {
		i := w.changed()
		must(t, w.far.Do(func() (err error) {
			program, err = bpf.Attach(index, bpf.Config{}, attach.ModeDriver)
			return err
		}))
		i.Release()
	})
	if len(w.files()) != 1 || w.countLogged("is not restored") != 1 {
		t.Errorf("files %q, log %v", w.files(), w.logs.All())
	}
	w.mtu(1500)
	w.do(func() { // the next cannot either, changes more, and is killed
		i := w.mustOwn()
		must(t, i.SetMTU(1600))
		must(t, i.offloads.set(OffloadsOff))
		kill(i)
	})
	must(t, program.Close())
	w.do(func() { OpenRecords(w.dir, w.log).PutBack() })
	w.expect(before, "at last")
	w.noFiles()
}

func TestAnotherInterfaceIsLeftAlone(t *testing.T) {
	t.Run("of another address", func(t *testing.T) {
		w := newWorld(t)
		w.do(func() {
			kill(w.changed())
			nl, err := netlink.LinkByName("near")
			must(t, err)
			must(t, netlink.LinkSetHardwareAddr(nl, []byte{2, 0, 0, 0, 0, 1}))
			OpenRecords(w.dir, w.log).PutBack()
		})
		w.mtu(1600)
		w.noFiles()
	})
	t.Run("that was made anew", func(t *testing.T) {
		w := newWorld(t)
		w.do(func() { kill(w.changed()) })
		must(t, w.near.DeleteLink("near"))
		w.do(func() { OpenRecords(w.dir, w.log).PutBack() })
		w.noFiles()
	})
	t.Run("that goes while it is owned", func(t *testing.T) {
		w := newWorld(t)
		w.do(func() {
			i := w.changed()
			must(t, w.near.DeleteLink("near"))
			i.Release()
		})
		w.noFiles()
	})
	t.Run("of another namespace", func(t *testing.T) {
		w := newWorld(t)
		w.do(func() { kill(w.changed()) })
		changed := w.state()
		must(t, w.far.Do(func() error { OpenRecords(w.dir, w.log).PutBack(); return nil }))
		w.expect(changed, "after PutBack elsewhere")
		if len(w.files()) != 1 {
			t.Errorf("files %q", w.files())
		}
	})
}

func TestWithoutADirectoryNothingIsWrittenDown(t *testing.T) {
	for name, dir := range map[string]string{
		"none": "", "in a file": "/proc/self/cmdline/x", "where none can be made": "/proc/interfaces",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.dir = dir
			w.do(func() {
				OpenRecords(w.dir, w.log).PutBack()
				i := w.changed()
				i.Release()
			})
			w.expect(before, "after Release")
			n := w.countLogged("makes to interfaces cannot be recorded")
			if (n > 0) != (dir != "") || w.countLogged("is ignored") > 0 {
				t.Errorf("%d warnings: %v", n, w.logs.All())
			}
		})
	}
}
