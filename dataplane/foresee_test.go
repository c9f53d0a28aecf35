package dataplane

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/xsk"
)

// changed returns the settings of a data plane with its link and its edge changed.
func (d *Dataplane) changed(change func(lnk, edge *model.PortSettings)) Settings {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.settings
	s.Ports, s.Profiles = slices.Clone(s.Ports), maps.Clone(s.Profiles)
	s.XConnects, s.Bridges = slices.Clone(s.XConnects), slices.Clone(s.Bridges)
	change(&s.Ports[0], &s.Ports[1])
	return s
}

// identity is what does not change while nothing is closed and LLR goes on.
func (l *linkBed) identity(d *Dataplane) (ids [2]any) {
	l.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	type parts struct {
		port    *path.Port
		host    *host
		socket  *xsk.Socket
		program uint32
	}
	for i, name := range []string{"la", "ea"} {
		_, a := d.find(name)
		ids[i] = parts{a.port, a.host, a.host.sockets[0], l.link(name).Attrs().Xdp.ProgId}
	}
	return ids
}

// A reload that this host cannot follow is refused before anything is closed, whatever is wrong: what LLR holds, the
// sockets, the counters and what was set by a command go on.
func TestRefusedReloadTouchesNothing(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "free"}, PeerName: "freed"}))
	folder := t.TempDir()
	l.must(os.Mkdir(filepath.Join(folder, "dir"), 0o700))
	l.must(l.a.SetLLRRemote("la", true))
	before, file, sent := l.identity(l.a), memoryFile, uint64(0)
	for name, c := range map[string]struct {
		change func(lnk, edge *model.PortSettings)
		want   string
	}{
		"no interface":    {func(_, e *model.PortSettings) { e.Interface = "none" }, "there is no interface none"},
		"somebody else's": {func(_, e *model.PortSettings) { e.Interface = "eb" }, "another XDP program"},
		"no such queue":   {func(_, e *model.PortSettings) { e.RingSize, e.Queues = 128, attach.QueuesOf([]int{7}) }, "queues: 7"},
		"no such queue of another": {
			func(_, e *model.PortSettings) { e.Interface, e.Queues = "free", attach.QueuesOf([]int{7}) }, "queues: 7",
		},
		"no folder": {
			func(lnk, _ *model.PortSettings) { lnk.Capture = filepath.Join(folder, "none", "c") }, "write to the folder",
		},
		"a folder": {func(lnk, _ *model.PortSettings) { lnk.Capture = filepath.Join(folder, "dir") }, "is a directory"},
		"an MTU that is not the data plane's to raise": {
			func(lnk, _ *model.PortSettings) { lnk.Interface, lnk.MTU = "free", model.MTUCheck }, "raise it, or set mtu: auto",
		},
		"no zero copy": {func(lnk, _ *model.PortSettings) { lnk.Bind = attach.BindZeroCopy }, "has no zero copy"},
		"no XDP": {
			func(_, e *model.PortSettings) { e.Interface, e.XDP = "lo", attach.ModeDriver }, "has no XDP",
		},
		"the name of a veth": {
			func(_, e *model.PortSettings) { e.Interface, e.Host = "new", &model.HostInterface{Name: "free"} }, "free is there already",
		},
		"memory": {
			func(lnk, _ *model.PortSettings) {
				l.must(os.WriteFile(filepath.Join(folder, "memory"), []byte("MemAvailable: 100 kB\n"), 0o600))
				memoryFile = filepath.Join(folder, "memory")
				lnk.RingSize = 1024
			}, "the host has 0 MB",
		},
	} {
		l.send(20)
		var coded *Error
		if err := l.a.Reload(l.a.changed(c.change)); !errors.As(err, &coded) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		memoryFile = file
		if after := l.identity(l.a); after != before {
			t.Fatalf("%s: %+v before, %+v now", name, before, after)
		}
		l.whole()
		sent, l.sent = sent+l.sent, 0
	}
	if st := l.state(l.a, "ea"); st.Counters.RxFrames != sent {
		t.Errorf("the edge has received %d frames of %d", st.Counters.RxFrames, sent)
	}
}
