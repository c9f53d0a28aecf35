package limits

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/lab/e2e/bed"
)

// files is how many file descriptors it has.
func files(d *bed.Daemon) int {
	d.T.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.Cmd.Process.Pid))
	bed.Must(d.T, err)
	return len(entries)
}

// mayOpen bounds the number of its file descriptors from now on.
func mayOpen(d *bed.Daemon, files int) {
	d.T.Helper()
	var limit unix.Rlimit
	bed.Must(d.T, unix.Prlimit(d.Cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit))
	limit.Cur = min(uint64(files), limit.Max)
	bed.Must(d.T, unix.Prlimit(d.Cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil))
}

// connect opens so many connections to its API that ask nothing.
func connect(d *bed.Daemon, n int) {
	d.T.Helper()
	for range n {
		c, err := net.Dial("unix", d.Socket)
		bed.Must(d.T, err)
		d.T.Cleanup(func() { c.Close() })
	}
}

// answers returns why a new connection to the API gets no answer; "" if it does.
func answers(d *bed.Daemon) (problem string) {
	c := client.NewClient(d.Socket)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := c.Ports(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// Somebody opens connections until the daemon has no file descriptor left. The API goes on to
// answer, its interfaces stay, and frames cross.
func TestFileDescriptorsThatRunOut(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	p.A.Client.Close()
	mayOpen(p.A, files(p.A)+10)
	l := top.Load(t, bed.Patience)
	connect(p.A, 100)
	for range 20 {
		if problem := answers(p.A); problem != "" {
			t.Fatalf("with connections that ask nothing: %s", problem)
		}
		time.Sleep(100 * time.Millisecond)
	}
	// Watchers are no idle connections: those that would take the last descriptors are refused.
	watchers := 0
	for ; watchers < 100; watchers++ {
		c := client.NewClient(p.A.Socket)
		t.Cleanup(c.Close)
		w, err := c.Watch(t.Context())
		if err != nil {
			if !strings.Contains(err.Error(), "no file descriptor is left") {
				t.Errorf("watcher %d: %v", watchers, err)
			}
			break
		}
		t.Cleanup(func() { w.Close() })
	}
	if watchers == 0 || watchers == 100 {
		t.Errorf("%d may watch", watchers)
	}
	for range 10 {
		if problem := answers(p.A); problem != "" {
			t.Fatalf("with watchers: %s", problem)
		}
		time.Sleep(100 * time.Millisecond) // the interfaces are looked at meanwhile
	}
	mayOpen(p.A, 1000)
	bed.Eventually(t, "no fault", func() string { return p.A.Link().Fault })
	bed.NothingLost(t, l.End())
	p.NoFlush(t)
	log := p.A.Stderr.String()
	if !strings.Contains(log, "no file descriptor is left for the control socket") ||
		strings.Contains(log, "the interface has gone") {
		t.Error("the log does not say that descriptors have run out, or says that an interface has gone")
	}
}

// resident is the memory that it uses, octets.
func resident(d *bed.Daemon) int {
	d.T.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.Cmd.Process.Pid))
	bed.Must(d.T, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kB, err := strconv.Atoi(strings.Fields(rest)[0])
	bed.Must(d.T, err)
	return kB << 10
}

// A thousand watchers, none of which reads, cost bounded memory; the last of them is told as much
// as the first.
func TestAThousandWatchers(t *testing.T) {
	const watchers = 1000
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	before := resident(p.A)
	var last *client.Watch
	for range watchers {
		var err error
		last, err = p.A.Client.Watch(t.Context())
		bed.Must(t, err)
		t.Cleanup(func() { last.Close() })
	}
	for range 100 {
		bed.Must(t, top.A.SetLink("edge0", false))
		p.A.OperStatus("edge0", "down")
		bed.Must(t, top.A.SetLink("edge0", true))
		p.A.OperStatus("edge0", "up")
	}
	used := resident(p.A) - before
	t.Logf("%d watchers take %d kB", watchers, used>>10)
	if used > 56<<20 {
		t.Errorf("%d watchers take %d octets", watchers, used)
	}
	if e, err := last.Next(); err != nil || e.Kind != "oper_status" || e.Port != "edge0" {
		t.Errorf("the last watcher got %+v, %v", e, err)
	}
}

// With too little address space the daemon prints one line with the cure, and no crash dump, however little is left
// after the start of Go itself, which needs up to 1,350 MiB: with less it ends before main, in some starts.
func TestTooLittleAddressSpaceIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	refusals := 0
	for mb := 1400; mb <= 2200; mb += 100 {
		large := bed.Settings{Edge: "ring_size: 16384", Link: "ring_size: 16384"}
		d := bed.NewDaemon(t, top.A, fmt.Sprintf("A, %d MiB", mb), large)
		cmd := d.Command()
		limited := exec.Command("/bin/sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, mb<<10))
		limited.Args = append(limited.Args, cmd.Args...)
		limited.Env = cmd.Env
		d.Process = bed.Start(t, top.A, d.Name, limited)
		refused := ""
		bed.Eventually(t, "an end, or a start", func() string {
			switch {
			case !d.Running():
				refused = strings.Join(d.Complaints(), "\n")
			case !strings.Contains(d.Stderr.String(), `"msg":"ready"`):
				return "neither"
			}
			return ""
		})
		if refused == "" {
			d.Terminate()
			continue
		}
		refusals++
		if d.Wait() != 3 || strings.Contains(refused, "\n") || !strings.Contains(refused, "ulimit -v") {
			t.Errorf("%d MiB: exit %d:\n%s", mb, d.Wait(), refused)
		}
	}
	if refusals == 0 {
		t.Error("none was refused: the test shows nothing")
	}
}

// A capture on a disk that is full: the daemon says so at once and carries frames.
func TestCaptureOnAFullDiskIsTold(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("skipped, no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	path := filepath.Join(dir, "link.pcapng")
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{Link: "capture: " + path})
	events := p.A.Watch()
	info, err := os.Stat(path)
	bed.Must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the capture has mode %v", info.Mode())
	}
	c := top.Between()
	c.Frames = 5_000
	bed.Untouched(t, c)
	events.Await("error", "no space left on device: the disk is full: the capture has ended after")
	if fault := p.A.Link().Fault; !strings.Contains(fault, "make room, then restart uelinkd") {
		t.Errorf("the fault is %q", fault)
	}
}

// A capture never goes where a link leads.
func TestCaptureThroughALinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	bed.Must(t, os.WriteFile(precious, []byte("precious"), 0o644))
	bed.Must(t, os.Symlink(precious, filepath.Join(dir, "link.pcapng")))
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: "capture: " + filepath.Join(dir, "link.pcapng")})
	d.Launch()
	d.Refused(2, "port link0", "symbolic link", "name another file")
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
}
