package restarts

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
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// killed returns a topology without a partner, whose daemon in A has changed its interfaces and was killed, and the
// state of the interfaces before.
func killed(t testing.TB) (top *bed.Topology, a *bed.Daemon, before string) {
	t.Helper()
	top = bed.Direct(t)
	before = owned(top, t)
	a = bed.NewDaemon(t, top.A, "A", bed.Settings{})
	crash(a)
	if left := owned(top, t); !strings.Contains(left, fmt.Sprintf("link0: MTU %d", bed.LinkMTU)) || left == before {
		t.Fatalf("a killed daemon should leave its changes:\n%s", left)
	}
	return top, a, before
}

// crash starts the daemon and kills it when it is ready.
func crash(d *bed.Daemon) {
	d.T.Helper()
	d.Start()
	d.Kill()
	d.HasNoXDP()
}

// ends terminates the daemon and demands a state of the interfaces.
func ends(top *bed.Topology, t testing.TB, d *bed.Daemon, want string) {
	t.Helper()
	if code := d.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if after := owned(top, t); after != want {
		t.Errorf("it left\n%s\nof\n%s", after, want)
	}
}

func TestChangesOfAKilledDaemonArePutBackByTheNext(t *testing.T) {
	top, a, before := killed(t)
	crash(a) // and once more: the second daemon must record the changes that the first one made
	a.Start()
	a.AwaitLogLines("restored a setting of the interface", "MTU 1514 to 1500", "offloads on",
		"offloads of the other end of the veth on")
	ends(top, t, a, before)
	if records, err := os.ReadDir(filepath.Join(a.Rig.State, "interfaces")); err != nil || len(records) > 0 {
		t.Errorf("after the end there are records: %v, %v", records, err)
	}
}

func TestWhatSomebodyElseChangedAfterAKillStays(t *testing.T) {
	for _, mtu := range []int{1400, 3000} { // the daemon has to raise the one, and finds the other large enough
		t.Run(fmt.Sprintf("MTU %d", mtu), func(t *testing.T) {
			top, a, before := killed(t)
			bed.Must(t, top.A.SetMTU("link0", mtu))
			a.Start()
			a.AwaitLogLines("a setting of the interface is left as it is", fmt.Sprintf("MTU is %d", mtu))
			ends(top, t, a, strings.Replace(before, "link0: MTU 1500", fmt.Sprintf("link0: MTU %d", mtu), 1))
		})
	}
	t.Run("an offload", func(t *testing.T) {
		const offload = "tx-checksum-ip-generic"
		top, a, before := killed(t)
		bed.Must(t, top.A.Do(func() error {
			_, _, err := ethtool.Enable("link0", []string{offload})
			return err
		}))
		a.Start()
		if on := bed.Offloads(t, top.A, "link0"); slices.Contains(on, offload) {
			t.Errorf("while it runs %s is on", offload)
		}
		ends(top, t, a, before)
	})
}

// A daemon with other ports restores the changes of the killed one on interfaces that now belong to no port.
func TestInterfaceTakenOutOfTheConfigurationIsPutBack(t *testing.T) {
	top, a, before := killed(t)
	bed.Must(t, netns.Veth(top.A, "other0", top.B, "other0", bed.EdgeMTU))
	a.Write(strings.ReplaceAll(bed.LLDPOnly{}.Text(a.Socket), "link0", "other0"))
	a.Start()
	if now := owned(top, t); now != before {
		t.Errorf("while it runs the interfaces are\n%s\nand were\n%s", now, before)
	}
	ends(top, t, a, before)
}

func TestChangesOfALivingDaemonAreLeftAlone(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	during := owned(top, t)
	bed.Must(t, netns.Veth(top.A, "other0", top.B, "other0", bed.EdgeMTU))

	t.Run("by a daemon with other interfaces", func(t *testing.T) {
		second := bed.NewDaemon(t, top.A, "second", bed.LLDPOnly{})
		second.Rig.State = a.Rig.State
		second.Write(strings.ReplaceAll(bed.LLDPOnly{}.Text(second.Socket), "link0", "other0"))
		second.Start()
		ends(top, t, second, during)
	})
	t.Run("by a daemon with the same interfaces", func(t *testing.T) {
		second := bed.NewDaemon(t, top.A, "second", bed.Settings{})
		second.Rig.State = a.Rig.State
		second.Launch()
		second.Refused(3, "port link0", "link0", fmt.Sprintf("process %d", a.Cmd.Process.Pid))
		if now := owned(top, t); now != during {
			t.Errorf("it left\n%s\nof\n%s", now, during)
		}
	})
	t.Run("by a daemon in another namespace", func(t *testing.T) {
		second := bed.NewDaemon(t, top.B, "B", bed.LLDPOnly{})
		second.Rig.State = a.Rig.State
		second.Start()
		ends(top, t, second, during)
	})
	ends(top, t, a, before)
}

// The daemon in A is killed. The daemon in B, with the same records, cannot restore A's interfaces, and keeps the
// records.
func TestRecordsOfAnotherNamespaceAreKept(t *testing.T) {
	top, a, before := killed(t)
	b := bed.NewDaemon(t, top.B, "B", bed.LLDPOnly{})
	b.Rig.State = a.Rig.State
	b.Start()
	if code := b.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	a.Start()
	ends(top, t, a, before)
}

func TestBadRecordsAreToldAndIgnored(t *testing.T) {
	top, a, before := killed(t)
	dir := filepath.Join(a.Rig.State, "interfaces")
	good, err := filepath.Glob(filepath.Join(dir, "*.json"))
	bed.Must(t, err)
	if len(good) != 2 {
		t.Fatalf("records: %v", good)
	}
	text, err := os.ReadFile(good[0])
	bed.Must(t, err)
	target := filepath.Join(a.Dir, "target")
	bed.Must(t, os.WriteFile(target, text, 0o600))
	bad := map[string]string{
		"empty.json": "", "text.json": "nonsense", "truncated.json": string(text[:len(text)/2]), "copy.json": string(text),
		"list.json": "[]", "version.json": `{"version":99}`, "foreign": "x", "long.json": strings.Repeat(" ", 1<<20),
	}
	for name, octets := range bad {
		bed.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(octets), 0o600))
	}
	bed.Must(t, os.Symlink(target, filepath.Join(dir, "symlink.json")))
	bed.Must(t, os.Mkdir(filepath.Join(dir, "directory.json"), 0o700))
	bed.Must(t, unix.Mkfifo(filepath.Join(dir, "fifo.json"), 0o600))
	a.Start()
	for _, name := range append(slices.Collect(maps.Keys(bad)), "symlink.json", "directory.json", "fifo.json") {
		a.AwaitLogLines(filepath.Join(dir, name))
	}
	if after, err := os.ReadFile(target); err != nil || string(after) != string(text) {
		t.Errorf("where the link points to there is %q, %v", after, err)
	}
	ends(top, t, a, before)
}

func TestRecordsOfAnEarlierBootAreForgotten(t *testing.T) {
	top, a, _ := killed(t)
	good, err := filepath.Glob(filepath.Join(a.Rig.State, "interfaces", "*.json"))
	bed.Must(t, err)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	bed.Must(t, err)
	for _, name := range good {
		text, err := os.ReadFile(name)
		bed.Must(t, err)
		earlier := strings.ReplaceAll(string(text), strings.TrimSpace(string(boot)), "earlier")
		bed.Must(t, os.WriteFile(name, []byte(earlier), 0o600))
	}
	left := owned(top, t)
	a.Start()
	ends(top, t, a, left)
}

func TestWithoutRoomForRecordsTheDaemonWarnsOnceAndRuns(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	bed.Must(t, os.WriteFile(a.Rig.State, nil, 0o600)) // a file, where a directory has to be
	a.Start()
	ends(top, t, a, before)
	if n := strings.Count(a.Stderr.String(), "makes to interfaces cannot be recorded"); n != 1 {
		t.Errorf("%d warnings", n)
	}
}
