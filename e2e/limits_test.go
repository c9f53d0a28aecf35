package e2e

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

	"uelink/control"
)

// files is how many file descriptors it has.
func (d *daemon) files() int {
	d.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.cmd.Process.Pid))
	must(d.t, err)
	return len(entries)
}

// mayOpen bounds the number of its file descriptors from now on.
func (d *daemon) mayOpen(files int) {
	d.t.Helper()
	var limit unix.Rlimit
	must(d.t, unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit))
	limit.Cur = min(uint64(files), limit.Max)
	must(d.t, unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil))
}

// connect opens so many connections to its API that ask nothing.
func (d *daemon) connect(n int) {
	d.t.Helper()
	for range n {
		c, err := net.Dial("unix", d.socket)
		must(d.t, err)
		d.t.Cleanup(func() { c.Close() })
	}
}

// answers returns why a new connection to the API gets no answer; "" if it does.
func (d *daemon) answers() (problem string) {
	c := control.NewClient(d.socket)
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
	top := direct(t)
	p := top.daemons(lossless)
	p.a.client.Close()
	p.a.mayOpen(p.a.files() + 10)
	l := top.load(t, patience)
	p.a.connect(100)
	for range 20 {
		if problem := p.a.answers(); problem != "" {
			t.Fatalf("with connections that ask nothing: %s", problem)
		}
		time.Sleep(100 * time.Millisecond)
	}
	// Watchers are no idle connections: those that would take the last descriptors are refused.
	watchers := 0
	for ; watchers < 100; watchers++ {
		c := control.NewClient(p.a.socket)
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
		if problem := p.a.answers(); problem != "" {
			t.Fatalf("with watchers: %s", problem)
		}
		time.Sleep(100 * time.Millisecond) // the interfaces are looked at meanwhile
	}
	p.a.mayOpen(1000)
	eventually(t, "no fault", func() string { return p.a.link().Fault })
	nothingLost(t, l.end())
	p.noFlush(t)
	log := p.a.stderr.String()
	if !strings.Contains(log, "no file descriptor is left for the control socket") ||
		strings.Contains(log, "the interface has gone") {
		t.Error("the log does not say that descriptors have run out, or says that an interface has gone")
	}
}

// resident is the memory that it uses, octets.
func (d *daemon) resident() int {
	d.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	must(d.t, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kB, err := strconv.Atoi(strings.Fields(rest)[0])
	must(d.t, err)
	return kB << 10
}

// A thousand watchers, none of which reads, cost bounded memory; the last of them is told as much
// as the first.
func TestAThousandWatchers(t *testing.T) {
	const watchers = 1000
	top := direct(t)
	p := top.daemons(settings{})
	before := p.a.resident()
	var last *control.Watch
	for range watchers {
		var err error
		last, err = p.a.client.Watch(t.Context())
		must(t, err)
		t.Cleanup(func() { last.Close() })
	}
	for range 100 {
		must(t, top.A.SetLink("edge0", false))
		p.a.operStatus("edge0", "down")
		must(t, top.A.SetLink("edge0", true))
		p.a.operStatus("edge0", "up")
	}
	used := p.a.resident() - before
	t.Logf("%d watchers take %d kB", watchers, used>>10)
	if used > 56<<20 {
		t.Errorf("%d watchers take %d octets", watchers, used)
	}
	if e, err := last.Next(); err != nil || e.Kind != "oper_status" || e.Port != "edge0" {
		t.Errorf("the last watcher got %+v, %v", e, err)
	}
}

// With too little address space the daemon prints one line with the cure, and no crash dump, however little is left
// after the start of Go itself.
func TestTooLittleAddressSpaceIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	top := direct(t)
	refusals := 0
	for mb := 1300; mb <= 2200; mb += 100 {
		d := newDaemon(t, top.A, fmt.Sprintf("A, %d MiB", mb), settings{edge: "ring_size: 16384", link: "ring_size: 16384"})
		cmd := d.command()
		limited := exec.Command("/bin/sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, mb<<10))
		limited.Args = append(limited.Args, cmd.Args...)
		limited.Env = cmd.Env
		d.process = start(t, top.A, d.name, limited)
		refused := ""
		eventually(t, "an end, or a start", func() string {
			switch {
			case !d.running():
				refused = strings.Join(d.complaints(), "\n")
			case !strings.Contains(d.stderr.String(), `"msg":"ready"`):
				return "neither"
			}
			return ""
		})
		if refused == "" {
			d.terminate()
			continue
		}
		refusals++
		if d.wait() != 3 || strings.Contains(refused, "\n") || !strings.Contains(refused, "ulimit -v") {
			t.Errorf("%d MiB: exit %d:\n%s", mb, d.wait(), refused)
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
	top := direct(t)
	p := top.daemons(settings{link: "capture: " + path})
	events := p.a.watch()
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the capture has mode %v", info.Mode())
	}
	c := top.between()
	c.Frames = 5_000
	untouched(t, c)
	events.shows("error", "no space left on device: the disk is full: the capture has ended after")
	if fault := p.a.link().Fault; !strings.Contains(fault, "make room, then restart uelinkd") {
		t.Errorf("the fault is %q", fault)
	}
}

// A capture never goes where a link leads.
func TestCaptureThroughALinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	must(t, os.WriteFile(precious, []byte("precious"), 0o644))
	must(t, os.Symlink(precious, filepath.Join(dir, "link.pcapng")))
	top := direct(t)
	d := newDaemon(t, top.A, "A", settings{link: "capture: " + filepath.Join(dir, "link.pcapng")})
	d.launch()
	d.refused(2, "port link0", "symbolic link", "name another file")
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
}
