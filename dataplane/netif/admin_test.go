package netif

import (
	"errors"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// up demands that "near" is up, or down.
func (w *world) up(when string, want bool) {
	w.t.Helper()
	l, err := netlink.LinkByName("near")
	must(w.t, err)
	if up := l.Attrs().RawFlags&unix.IFF_UP != 0; up != want {
		w.t.Errorf("%s up is %v", when, up)
	}
}

func TestStateIsReturned(t *testing.T) {
	for name, give := range map[string]func(w *world, i *Interface){
		"by ReturnState": func(w *world, i *Interface) { must(w.t, i.ReturnState()); i.Release() },
		"by Release":     func(_ *world, i *Interface) { i.Release() },
		"after a kill": func(w *world, i *Interface) {
			kill(i)
			OpenRecords(w.dir, w.log).PutBack()
		},
		"after a kill, by Own": func(w *world, i *Interface) { kill(i); w.mustOwn().Release() },
	} {
		for _, found := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.do(func() {
					near, err := netlink.LinkByName("near")
					must(t, err)
					if !found {
						must(t, netlink.LinkSetDown(near))
					}
					i := w.mustOwn()
					set := func(up bool) {
						if up {
							must(t, i.SetUp())
						} else {
							must(t, i.SetDown())
						}
						w.up("set,", up)
					}
					set(found)
					if !i.record.empty() {
						t.Errorf("a state that was there is recorded: %+v", i.record)
					}
					set(!found)
					set(found) // as it was: nothing has to be put back
					if !i.record.empty() {
						t.Errorf("after the way back: %+v", i.record)
					}
					set(!found)
					give(w, i)
					w.up("returned,", found)
				})
				w.noFiles()
			})
		}
	}
}

// An interface that somebody has set up or down since stays so.
func TestStateOfOthersStays(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		near, err := netlink.LinkByName("near")
		must(t, err)
		i := w.mustOwn()
		must(t, i.SetDown())
		must(t, netlink.LinkSetUp(near))
		i.Release()
		w.up("set up by somebody,", true)
		must(t, netlink.LinkSetDown(near))
		i = w.mustOwn()
		must(t, i.SetUp())
		must(t, netlink.LinkSetDown(near))
		i.Release()
		w.up("set down by somebody,", false)
		must(t, netlink.LinkSetUp(near))
	})
	w.noFiles()
}

func TestInterfaceIsNotSetDownWithoutARecord(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i, err := OpenRecords("", w.log).Own("near", w.log)
		must(t, err)
		if err := i.SetDown(); !errors.Is(err, ErrUnrecorded) {
			t.Errorf("without a directory: %v", err)
		}
		w.up("without a record,", true)
		i.Release()
	})
}

// The MTU of before comes back by ReturnMTU, and an MTU of somebody else stays.
func TestMTUIsReturned(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		mtu := func() int {
			l, err := netlink.LinkByName("near")
			must(t, err)
			return l.Attrs().MTU
		}
		before := mtu()
		i := w.mustOwn()
		must(t, i.ReturnMTU())
		must(t, i.SetMTU(before+100))
		must(t, i.SetMTU(before+200))
		must(t, i.ReturnMTU())
		if got := mtu(); got != before || i.SetsMTU(before+200) {
			t.Errorf("the MTU is %d, was %d", got, before)
		}
		near, err := netlink.LinkByName("near")
		must(t, err)
		must(t, netlink.LinkSetMTU(near, before+200)) // by somebody
		kill(i)
		i = w.mustOwn()
		if got := mtu(); got != before+200 {
			t.Errorf("after a kill somebody's MTU of %d became %d", before+200, got)
		}
		must(t, netlink.LinkSetMTU(near, before))
		must(t, i.SetMTU(before+100))
		must(t, netlink.LinkSetMTU(near, before+50))
		must(t, i.ReturnMTU())
		if got := mtu(); got != before+50 {
			t.Errorf("somebody's MTU of %d became %d", before+50, got)
		}
		must(t, netlink.LinkSetMTU(near, before))
		i.Release()
	})
	w.noFiles()
}
