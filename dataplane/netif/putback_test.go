package netif

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestReleasePutsBack(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	w.do(func() {
		i := w.changed()
		info, err := os.Stat(i.path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file: %v, %v", info, err)
		}
		i.Release()
	})
	w.expect(before, "after Release")
	w.noFiles()
}

func TestPutBackAfterAKill(t *testing.T) {
	for name, next := range map[string]func(w *world){
		"by PutBack": func(w *world) { OpenRecords(w.dir, w.log).PutBack() },
		"by Own":     func(w *world) { w.mustOwn().Release() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.do(func() { kill(w.changed()) })
			w.do(func() { next(w) })
			w.expect(before, "after a kill")
			w.noFiles()
			if n := w.countLogged("restored a setting of the interface"); n != 3 {
				t.Errorf("%d changes are said to be put back", n)
			}
		})
	}
}

func TestSecondChangeKeepsTheFirstValue(t *testing.T) {
	for _, c := range []struct {
		name           string
		somebody, want int
	}{{"nobody else changes it", 0, 1500}, {"somebody changes it in between", 1650, 1650}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.do(func() {
				i := w.mustOwn()
				must(t, i.SetMTU(1600))
				if c.somebody != 0 {
					must(t, w.near.SetMTU("near", c.somebody))
				}
				must(t, i.SetMTU(1700))
				i.Release()
			})
			w.mtu(c.want)
		})
	}
}

func TestMTUThatIsRefusedIsNotNoted(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		if err := i.SetMTU(1 << 20); !errors.Is(err, unix.EINVAL) {
			t.Errorf("an MTU of a MiB: %v", err)
		}
		if !i.record.empty() {
			t.Errorf("%+v", i.record)
		}
		i.Release()
	})
	w.mtu(1500)
	w.noFiles()
}

// A process may be killed when it has recorded a change and not made it yet.
func TestKillBeforeTheChange(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		must(t, i.write(func(r *record) { r.MTU = &mtu{1500, 1600} }))
		kill(i)
		OpenRecords(w.dir, w.log).PutBack()
	})
	w.mtu(1500)
	w.noFiles()
	if w.logs.Len() > 0 {
		t.Errorf("%v", w.logs.All())
	}
}

func TestWhatSomebodyElseHasChangedStays(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		kill(w.changed())
		must(t, w.near.SetMTU("near", 1400))
		OpenRecords(w.dir, w.log).PutBack()
	})
	w.mtu(1400)
	w.noFiles()
	if w.countLogged("a setting of the interface is left as it is: somebody has changed it since") != 1 {
		t.Error("no line of the log says that the changed setting stays")
	}
}
