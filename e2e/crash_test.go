package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/netns"
)

// killed returns a topology without a partner, whose daemon in A has changed its interfaces and was killed, and the
// state of the interfaces before.
func killed(t testing.TB) (top *topology, a *daemon, before string) {
	t.Helper()
	top = direct(t)
	before = top.owned(t)
	a = newDaemon(t, top.A, "A", settings{})
	a.crash()
	if left := top.owned(t); !strings.Contains(left, fmt.Sprintf("link0: MTU %d", linkMTU)) || left == before {
		t.Fatalf("a killed daemon should leave its changes:\n%s", left)
	}
	return top, a, before
}

// crash starts the daemon and kills it when it is ready.
func (d *daemon) crash() {
	d.t.Helper()
	d.start()
	d.kill()
	d.hasNoXDP()
}

// hasNoXDP waits until the kernel has detached the XDP programs of a killed daemon.
func (d *daemon) hasNoXDP() {
	d.t.Helper()
	for _, name := range []string{"link0", "edge0"} {
		eventually(d.t, name+" without an XDP program", func() string { return xdpOn(d.t, d.ns, name) })
	}
}

// ends terminates the daemon and demands a state of the interfaces.
func (top *topology) ends(t testing.TB, d *daemon, want string) {
	t.Helper()
	if code := d.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if after := top.owned(t); after != want {
		t.Errorf("it left\n%s\nof\n%s", after, want)
	}
}

// says waits for lines in the daemon's log, which is read a little later than the daemon writes it.
func (d *daemon) says(lines ...string) {
	d.t.Helper()
	for _, line := range lines {
		eventually(d.t, "the log says "+line, func() string {
			if log := d.stderr.String(); !strings.Contains(log, line) {
				return log
			}
			return ""
		})
	}
}

func TestChangesOfAKilledDaemonArePutBackByTheNext(t *testing.T) {
	top, a, before := killed(t)
	a.crash() // and once more: the second daemon must record the changes that the first one made
	a.start()
	a.says("put back on the interface", "MTU 1514 to 1500", "offloads on", "offloads of the other end of the veth on")
	top.ends(t, a, before)
	if records, err := os.ReadDir(filepath.Join(a.made.State, "interfaces")); err != nil || len(records) > 0 {
		t.Errorf("after the end there are records: %v, %v", records, err)
	}
}

func TestWhatSomebodyElseChangedAfterAKillStays(t *testing.T) {
	for _, mtu := range []int{1400, 3000} { // the daemon has to raise the one, and finds the other large enough
		t.Run(fmt.Sprintf("MTU %d", mtu), func(t *testing.T) {
			top, a, before := killed(t)
			must(t, top.A.SetMTU("link0", mtu))
			a.start()
			a.says("left as it is", fmt.Sprintf("MTU is %d", mtu))
			top.ends(t, a, strings.Replace(before, "link0: MTU 1500", fmt.Sprintf("link0: MTU %d", mtu), 1))
		})
	}
	t.Run("an offload", func(t *testing.T) {
		const offload = "tx-checksum-ip-generic"
		top, a, before := killed(t)
		must(t, top.A.Do(func() error {
			_, _, err := ethtool.Enable("link0", []string{offload})
			return err
		}))
		a.start()
		if on := offloads(t, top.A, "link0"); slices.Contains(on, offload) {
			t.Errorf("while it runs %s is on", offload)
		}
		top.ends(t, a, before)
	})
}

// A daemon with other ports restores the changes of the killed one on interfaces that now belong to no port.
func TestInterfaceTakenOutOfTheConfigurationIsPutBack(t *testing.T) {
	top, a, before := killed(t)
	must(t, netns.Veth(top.A, "other0", top.B, "other0", edgeMTU))
	a.write(strings.ReplaceAll(lldpOnly{}.text(a.socket), "link0", "other0"))
	a.start()
	if now := top.owned(t); now != before {
		t.Errorf("while it runs the interfaces are\n%s\nand were\n%s", now, before)
	}
	top.ends(t, a, before)
}

func TestChangesOfALivingDaemonAreLeftAlone(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	during := top.owned(t)
	must(t, netns.Veth(top.A, "other0", top.B, "other0", edgeMTU))

	t.Run("by a daemon with other interfaces", func(t *testing.T) {
		second := newDaemon(t, top.A, "second", lldpOnly{})
		second.made.State = a.made.State
		second.write(strings.ReplaceAll(lldpOnly{}.text(second.socket), "link0", "other0"))
		second.start()
		top.ends(t, second, during)
	})
	t.Run("by a daemon with the same interfaces", func(t *testing.T) {
		second := newDaemon(t, top.A, "second", settings{})
		second.made.State = a.made.State
		second.launch()
		second.refused(3, "port link0", "link0", fmt.Sprintf("process %d", a.cmd.Process.Pid))
		if now := top.owned(t); now != during {
			t.Errorf("it left\n%s\nof\n%s", now, during)
		}
	})
	t.Run("by a daemon in another namespace", func(t *testing.T) {
		second := newDaemon(t, top.B, "B", lldpOnly{})
		second.made.State = a.made.State
		second.start()
		top.ends(t, second, during)
	})
	top.ends(t, a, before)
}

// The daemon in A is killed. The daemon in B, with the same records, cannot restore A's interfaces, and keeps the
// records.
func TestRecordsOfAnotherNamespaceAreKept(t *testing.T) {
	top, a, before := killed(t)
	b := newDaemon(t, top.B, "B", lldpOnly{})
	b.made.State = a.made.State
	b.start()
	if code := b.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	a.start()
	top.ends(t, a, before)
}

func TestBadRecordsAreToldAndIgnored(t *testing.T) {
	top, a, before := killed(t)
	dir := filepath.Join(a.made.State, "interfaces")
	good, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	if len(good) != 2 {
		t.Fatalf("records: %v", good)
	}
	text, err := os.ReadFile(good[0])
	must(t, err)
	target := filepath.Join(a.dir, "target")
	must(t, os.WriteFile(target, text, 0o600))
	bad := map[string]string{
		"empty.json": "", "text.json": "nonsense", "truncated.json": string(text[:len(text)/2]), "copy.json": string(text),
		"list.json": "[]", "version.json": `{"version":99}`, "foreign": "x", "long.json": strings.Repeat(" ", 1<<20),
	}
	for name, octets := range bad {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(octets), 0o600))
	}
	must(t, os.Symlink(target, filepath.Join(dir, "symlink.json")))
	must(t, os.Mkdir(filepath.Join(dir, "directory.json"), 0o700))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo.json"), 0o600))
	a.start()
	for _, name := range append(slices.Collect(maps.Keys(bad)), "symlink.json", "directory.json", "fifo.json") {
		a.says(filepath.Join(dir, name))
	}
	if after, err := os.ReadFile(target); err != nil || string(after) != string(text) {
		t.Errorf("where the link points to there is %q, %v", after, err)
	}
	top.ends(t, a, before)
}

func TestRecordsOfAnEarlierBootAreForgotten(t *testing.T) {
	top, a, _ := killed(t)
	good, err := filepath.Glob(filepath.Join(a.made.State, "interfaces", "*.json"))
	must(t, err)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	must(t, err)
	for _, name := range good {
		text, err := os.ReadFile(name)
		must(t, err)
		earlier := strings.ReplaceAll(string(text), strings.TrimSpace(string(boot)), "earlier")
		must(t, os.WriteFile(name, []byte(earlier), 0o600))
	}
	left := top.owned(t)
	a.start()
	top.ends(t, a, left)
}

func TestWithoutRoomForRecordsTheDaemonWarnsOnceAndRuns(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	a := newDaemon(t, top.A, "A", settings{})
	must(t, os.WriteFile(a.made.State, nil, 0o600)) // a file, where a directory has to be
	a.start()
	top.ends(t, a, before)
	if n := strings.Count(a.stderr.String(), "cannot be written down"); n != 1 {
		t.Errorf("%d warnings", n)
	}
}
