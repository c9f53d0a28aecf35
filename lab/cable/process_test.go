package cable

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"uelink/dataplane/fault"
)

// childKey makes this test binary `uelink cable` with the arguments in its value.
const childKey = "UELINK_CABLE_CHILD"

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(childKey); ok {
		os.Exit(child(splitLine(args)))
	}
	os.Exit(m.Run())
}

// splitLine splits a command line at spaces; a ; in a word is a space of that word.
func splitLine(line string) []string {
	list := strings.Fields(line)
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], ";", " ")
	}
	return list
}

func child(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := tool(args...)
	root.SetOut(os.Stdout)
	root.SetErr(os.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return 1
}

// process is a running `uelink cable`.
type process struct {
	*exec.Cmd
	out    bytes.Buffer
	stderr *bufio.Scanner
}

func (b *bench) start(args string) *process {
	b.t.Helper()
	p := &process{Cmd: exec.Command("/proc/self/exe")}
	p.Env = append(os.Environ(), childKey+"="+args)
	p.Stdout = &p.out
	pipe, write, err := os.Pipe()
	must(b.t, err)
	b.t.Cleanup(func() { pipe.Close() })
	p.Cmd.Stderr = write
	p.stderr = bufio.NewScanner(pipe)
	must(b.t, b.middle.Start(p.Cmd))
	write.Close()
	b.t.Cleanup(func() { p.Process.Kill() })
	return p
}

// line is the next line on stderr.
func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.stderr.Scan() {
		t.Fatalf("stderr ended: %v", p.stderr.Err())
	}
	return p.stderr.Text()
}

func TestProcessReportsOnSIGTERM(t *testing.T) {
	for _, c := range []struct{ args, mode, path, reason string }{
		{"--loss 0.1 --seed 9 a b", ModeKernel, pathXDP, "the other ends of all veths run XDP programs"},
		{"--loss 0.1 --seed 9 --duplicate 0.1 --a a b", ModeUser, pathSockets,
			"AF_XDP sockets, which finish unfinished checksums"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			b := newBench(t, 1500)
			p := b.start("-o json --stats-interval 20ms " + c.args)
			var ready readyEvent
			must(t, json.Unmarshal([]byte(p.line(t)), &ready))
			if len(ready.Warnings) != 1 {
				t.Errorf("warnings %q", ready.Warnings)
			}
			ready.Warnings = nil
			want := readyEvent{Event: "ready", Mode: c.mode, XDPMode: "driver", A: plugged{"a", 1500},
				Path: c.path, Why: c.reason, GSO: "split", B: &plugged{"b", 1500}, Seed: 9}
			if !reflect.DeepEqual(ready, want) {
				t.Errorf("ready: %+v", ready)
			}
			const n = 60
			for i := range n {
				b.hosts[1].send(numbered(uint64(i), 60))
			}
			for met := uint64(0); met < n; {
				var live statsEvent
				must(t, json.Unmarshal([]byte(p.line(t)), &live))
				d := live.Directions[1]
				met = d.Forwarded - d.Duplicated + d.Dropped
			}
			must(t, p.Process.Signal(syscall.SIGTERM))
			must(t, p.Wait())
			var r Report
			d := json.NewDecoder(&p.out)
			must(t, d.Decode(&r))
			if d.More() || len(r.Directions) != 2 || r.Mode != c.mode || r.Seconds <= 0 {
				t.Fatalf("report %+v", r)
			}
			seen := uint64(len(b.hosts[0].receive(r.Directions[1].Forwarded)))
			if got := r.Directions[1]; got.From != "b" || got.To != "a" || got.Forwarded != seen || got.Dropped == 0 {
				t.Errorf("%d frames seen, report %+v", seen, got)
			}
			if r.Directions[0].Counters != (fault.Counters{}) {
				t.Errorf("the idle direction: %+v", r.Directions[0])
			}
			b.clean()
		})
	}
}

func TestProcessTableAndLiveCounters(t *testing.T) {
	b := newBench(t, 1500)
	p := b.start("--stats-interval 20ms a b")
	const cure = ": ip link set dev a mtu 1514; ip link set dev b mtu 1514"
	if warned := p.line(t); !strings.HasPrefix(warned, "warning: an MTU of 1500: ") || !strings.HasSuffix(warned, cure) {
		t.Errorf("said %q", warned)
	}
	if ready := p.line(t); ready != "ready: a (MTU 1500) and b (MTU 1500) joined, mode kernel, XDP in "+
		"driver mode, seed 1; path xdp: the other ends of all veths run XDP programs; super-frames: split" {
		t.Errorf("said %q", ready)
	}
	if live := p.line(t); !strings.HasSuffix(live, "s  a>b 0  b>a 0") {
		t.Errorf("said %q", live)
	}
	must(t, p.Process.Signal(syscall.SIGINT))
	must(t, p.Wait())
	if lines := strings.Split(strings.TrimSpace(p.out.String()), "\n"); len(lines) != 4 ||
		!strings.Contains(lines[0], "forwarded") {
		t.Errorf("table:\n%s", p.out.String())
	}
}

// A process that is killed leaves nothing behind: its programs go with it.
func TestKilledProcessLeavesInterfacesClean(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			p := b.start("-o json a b --mode " + mode)
			p.line(t)
			must(t, p.Process.Kill())
			p.Wait()
			b.clean()
			_, stop := b.plug(Config{Mode: mode}) // at once, though the kernel may still hold the sockets
			stop()
		})
	}
}

func TestProcessWithoutPrivilege(t *testing.T) {
	b := newBench(t, 1500)
	dir, err := os.MkdirTemp("", "uelink-cable-") // /proc/self/exe lies where nobody else may look
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	binary := dir + "/cable.test"
	copyFile(t, "/proc/self/exe", binary)
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), childKey+"=a b")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = b.middle.Run(cmd)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr.String(),
		"run as root, or grant CAP_NET_ADMIN") {
		t.Errorf("%v: %s", err, stderr.String())
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	must(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, errors.Join(err, out.Close()))
}
