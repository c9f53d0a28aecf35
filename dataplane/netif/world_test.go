package netif

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// world is a veth from "near" in one namespace to "far" in another, and a directory of
// records.
type world struct {
	t         *testing.T
	near, far *netns.NS
	dir       string
	logs      *observer.ObservedLogs
	log       *zap.Logger
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, near: nstest.New(t, "near"), far: nstest.New(t, "far")}
	w.dir = filepath.Join(t.TempDir(), "state", "interfaces")
	must(t, netns.Veth(w.near, "near", w.far, "far", 1500))
	w.log, w.logs = newLog()
	return w
}

// newLog returns a log, and what it has got.
func newLog() (*zap.Logger, *observer.ObservedLogs) {
	core, logs := observer.New(zap.InfoLevel)
	return zap.New(core), logs
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do runs f in the namespace of "near".
func (w *world) do(f func()) {
	w.t.Helper()
	must(w.t, w.near.Do(func() error { f(); return nil }))
}

// own makes a process own "near"; call it in do.
func (w *world) own() (*Interface, error) {
	return OpenRecords(w.dir, w.log).Own("near", w.log)
}

func (w *world) mustOwn() *Interface {
	i, err := w.own()
	if err != nil {
		w.t.Error(err)
		return newInterface(&changes{log: w.log}, &netlink.Veth{})
	}
	return i
}

// changed makes a process change everything it can.
func (w *world) changed() *Interface {
	i := w.mustOwn()
	if err := i.SetMTU(1600); err != nil {
		w.t.Error(err)
	}
	err := i.offloads.set(OffloadsOffAtBothEnds)
	if err != nil || len(i.record.Offloads) == 0 || len(i.record.Peer) == 0 {
		w.t.Errorf("%v, noted %+v", err, i.record)
	}
	return i
}

// kill ends a process: its locks go, its files stay.
func kill(i *Interface) { _ = i.file.Close() }

// state is everything that a process can change, at both ends.
func (w *world) state() string {
	w.t.Helper()
	var b strings.Builder
	for _, end := range []struct {
		ns     *netns.NS
		ifname string
	}{{w.near, "near"}, {w.far, "far"}} {
		l, err := end.ns.Link(end.ifname)
		must(w.t, err)
		fmt.Fprintln(&b, end.ifname, l.MTU, l.Promisc, l.Xdp != nil && l.Xdp.Attached)
		must(w.t, end.ns.Do(func() error {
			on, err := ethtool.Active(end.ifname)
			fmt.Fprintln(&b, on)
			return err
		}))
	}
	return b.String()
}

func (w *world) expect(want, when string) {
	w.t.Helper()
	if now := w.state(); now != want {
		w.t.Errorf("%s it is\n%s\nnot\n%s", when, now, want)
	}
}

// index returns the index of "near".
func (w *world) index() int {
	w.t.Helper()
	index, err := w.near.Ifindex("near")
	must(w.t, err)
	return index
}

// mtu demands the MTU of "near".
func (w *world) mtu(want int) {
	w.t.Helper()
	l, err := w.near.Link("near")
	must(w.t, err)
	if l.MTU != want {
		w.t.Errorf("the MTU is %d, not %d", l.MTU, want)
	}
}

// files returns the names in the directory.
func (w *world) files() (names []string) {
	entries, _ := os.ReadDir(w.dir) // it may not be there
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (w *world) noFiles() {
	w.t.Helper()
	if names := w.files(); len(names) > 0 {
		w.t.Errorf("there is %q", names)
	}
}

// countLogged returns how often a message was logged.
func (w *world) countLogged(message string) int {
	n := 0
	for _, e := range w.logs.All() {
		if strings.Contains(e.Message, message) {
			n++
		}
	}
	return n
}
