package pods

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// oneNode makes a node with a link to another daemon, and a pod. Its network has room for two pods.
func oneNode(t *testing.T) (n *node, pod *netns.NS, config string, p bed.Pair) {
	t.Helper()
	top := bed.Direct(t)
	bin := plugins(t)
	p = top.Bridges(bed.Switching, bed.Switching)
	n = newNode(p.A, bin)
	return n, nstest.New(t, "pod"), n.plugin("pods", `"bridge": "br0", "ipam": `+n.ipam(10, 11)), p
}

// TestRefusedPods: what cannot be is refused by CNI's error alone, and leaves nothing. What is gone is no error of DEL.
func TestRefusedPods(t *testing.T) {
	t.Parallel()
	n, pod, config, _ := oneNode(t)
	link, file := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "file")
	bed.Must(t, os.Symlink(pod.Path(), link))
	bed.Must(t, os.WriteFile(file, nil, 0o600))
	settings := func(keys string) string { return n.plugin("pods", keys) }
	for _, c := range []struct {
		verb, netns, config string
		code                uint // of CNI; 0: no error
		want                string
	}{
		{"DEL", pod.Path(), config, 0, ""}, {"DEL", "", config, 0, ""}, {"DEL", "/nowhere", config, 0, ""},
		{"ADD", link, config, 8, "a symbolic link is refused"},
		{"ADD", file, config, 8, "this is no namespace"},
		{"ADD", "/proc/self/status", config, 8, "this is no namespace"},
		{"ADD", "/run/netns/none", config, 8, "is gone"},
		{"ADD", pod.Path(), settings(`"x": 1`), 7, "bridge or link is missing"},
		{"ADD", pod.Path(), settings(`"bridge": "br9"`), 999, "br9"},
		{"ADD", pod.Path(), settings(`"link": "link9"`), 7, "no link link9"},
		{"ADD", pod.Path(), settings(`"link": "link0"`), 999, "link0"}, // which is in the bridge
		{"ADD", pod.Path(), settings(`"bridge": "br0", "mtu": 9000`), 7, "carries at most 1500"},
		{"ADD", pod.Path(), settings(`"bridge": "br0", "mtu": 20`), 7, "mtu 20"},
		{"ADD", pod.Path(), settings(`"bridge": "br0", "port": {"name": "x"}`), 7, "port.name"},
		{"ADD", pod.Path(), settings(`"bridge": "br0", "port": {"push_back": "perhaps"}`), 999, "perhaps"},
		{"ADD", pod.Path(), settings(`"bridge": 7`), 6, ""},
		{"ADD", pod.Path(), settings(`"bridge": "br0", "ipam": {"type": "host-local"}`), 999, ""},
		{"ADD", pod.Path(), settings(`"bridge": "br0", "ipam": {"type": "no-such-plugin"}`), 999, "no-such-plugin"},
		{"CHECK", pod.Path(), config, 7, "prevResult is missing"},
		{"STATUS", "", config, 0, ""},
		{"STATUS", "", settings(`"bridge": "br9"`), 50, "br9"},
		{"GC", "", config, 0, ""},
	} {
		got := n.call(t, c.verb, "c1", c.netns, c.config)
		if got.error != c.code || (got.code == 0) != (c.code == 0) || !strings.Contains(got.stdout, c.want) {
			t.Errorf("%s %s %s: exit %d, code %d, want %d: %s", c.verb, c.netns, c.config, got.code, got.error, c.code,
				got.stdout)
		}
	}
	if left := n.left(t); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// TestPodsCalledTwice: an ADD again is refused and harms nothing; pods that come at once all come, as far as there are
// addresses, whatever they are called; a namespace may go before DEL.
func TestPodsCalledTwice(t *testing.T) {
	t.Parallel()
	n, pod, config, _ := oneNode(t)
	long := strings.Repeat("a", 64)
	if got := n.call(t, "ADD", long, pod.Path(), config); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := n.call(t, "ADD", long, pod.Path(), config); got.error != 4 {
		t.Errorf("the same again: %+v", got)
	}
	var calls sync.WaitGroup
	var lock sync.Mutex
	var added, refused int
	var others []*netns.NS
	for i := range 4 {
		ns, err := netns.New(fmt.Sprint("other", i))
		bed.Must(t, err)
		others = append(others, ns)
		calls.Go(func() {
			got := n.call(t, "ADD", fmt.Sprint(long, i), ns.Path(), config)
			lock.Lock()
			defer lock.Unlock()
			if got.code == 0 {
				added++
			} else {
				refused++
			}
		})
	}
	calls.Wait()
	if added != 1 || refused != 3 { // two addresses, of which the first pod has one
		t.Errorf("%d are added, %d refused", added, refused)
	}
	if left := n.left(t); len(left) != 2*4 {
		t.Errorf("two pods have %q", left)
	}
	for i, ns := range others {
		path := ns.Path()
		bed.Must(t, ns.Close())
		if got := n.call(t, "DEL", fmt.Sprint(long, i), path, config); got.code != 0 {
			t.Errorf("%+v", got)
		}
	}
	n.call(t, "DEL", long, pod.Path(), config)
	if left := n.left(t); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// TestPodsOverKills: a daemon that is killed and started again, handed over, or away in a call: pods come and go, and
// leave nothing. While the link is down, STATUS refuses.
func TestPodsOverKills(t *testing.T) {
	t.Parallel()
	n, pod, config, p := oneNode(t)
	n.Kill()
	if got := n.call(t, "STATUS", "", "", config); got.error != 50 {
		t.Errorf("STATUS without a daemon: %+v", got)
	}
	added := make(chan answer)
	go func() { added <- n.call(t, "ADD", "c1", pod.Path(), config) }()
	n.Start() // while ADD waits for it
	if got := <-added; got.code != 0 {
		t.Errorf("ADD while the daemon starts: %+v", got)
	}
	n.Upgrade()
	n.Kill()
	n.Start()
	if port := n.left(t); len(port) != 4 {
		t.Errorf("after an upgrade and a kill: %q", port)
	}
	n.Kill()
	removed := make(chan answer)
	go func() { removed <- n.call(t, "DEL", "c1", pod.Path(), config) }()
	n.Start()
	if got := <-removed; got.code != 0 {
		t.Errorf("DEL while the daemon starts: %+v", got)
	}
	if left := n.left(t); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
	bed.Must(t, p.B.NS.Do(func() error {
		link, err := netlink.LinkByName("link0")
		bed.Must(t, err)
		return netlink.LinkSetDown(link)
	}))
	n.OperStatus("link0", "down")
	if got := n.call(t, "STATUS", "", "", config); got.error != 50 || !strings.Contains(got.stdout, "link0") {
		t.Errorf("STATUS while the link is down: %+v", got)
	}
}
