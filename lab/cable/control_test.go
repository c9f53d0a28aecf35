package cable

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestControlSocket(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "control")
	p := b.start("-o json a b --rule id=held;from=b;hold=released --control " + path)
	p.line(t)
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	c, ctx := NewClient(path), t.Context()
	defer c.Close()
	watch, err := c.Watch(ctx)
	must(t, err)
	defer watch.Close()
	lines := bufio.NewScanner(watch)

	id, err := c.Add(ctx, "from=a nth=2 drop")
	must(t, err)
	for i := range uint64(3) {
		b.hosts[0].send(numbered(i, 60))
	}
	if got := b.hosts[1].receive(2); len(got) != 2 || got[1][21] != 2 {
		t.Errorf("%d frames crossed", len(got))
	}
	var hit RuleHit
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &hit) != nil || hit.ID != id || hit.Kind != "native" ||
		hit.From != "a" {
		t.Errorf("hit %s", lines.Bytes())
	}
	must(t, c.Change(ctx, id, "arm"))
	b.hosts[0].send(numbered(3, 60))
	b.hosts[1].receive(1)
	must(t, c.Change(ctx, id, "pause"))
	b.hosts[0].send(numbered(4, 60))
	b.hosts[1].receive(1)

	b.hosts[1].send(numbered(0, 60))
	eventually(t, "the frame to be held", func() bool {
		rules, err := c.Rules(ctx)
		must(t, err)
		return rules[0].ID == "held" && rules[0].Held == 1 && rules[1].Matched == 1 && rules[1].State.String() == "paused"
	})
	must(t, c.Change(ctx, "held", "release"))
	b.hosts[0].receive(1)
	must(t, c.Delete(ctx, "held"))

	_, wrong := c.Add(ctx, "from=a drp")
	for what, err := range map[string]error{
		"there is no rule": c.Change(ctx, "held", "arm"), "unknown word": wrong,
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// Rules change thousands of times under load, and no frame is lost but by them.
func TestRulesChangeUnderLoad(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "control")
	p := b.start("-o json a b --control " + path)
	p.line(t)
	c, ctx := NewClient(path), t.Context()
	defer c.Close()
	const n = 1000
	done := make(chan error)
	go func() {
		defer close(done)
		for range n {
			id, err := c.Add(ctx, "kind=ack drop")
			if err == nil {
				err = c.Delete(ctx, id)
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	sent := uint64(0)
	for running := true; running; {
		for range 32 {
			b.hosts[0].send(numbered(sent, 60))
			sent++
		}
		b.hosts[1].receive(32)
		select {
		case err := <-done:
			must(t, err)
			running = false
		default:
		}
	}
	r, err := c.Report(ctx)
	must(t, err)
	if d := r.Directions[0]; len(r.Rules) != 0 || d.Dropped+d.Overrun != 0 {
		t.Errorf("%d frames sent, %+v", sent, d)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
}

// A watcher that does not read misses hits, is told how many, and stops nobody; the seventeenth is refused.
func TestWatchers(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "control")
	p := b.start("-o json a b --rule count --control " + path)
	p.line(t)
	c, ctx := NewClient(path), t.Context()
	defer c.Close()
	for range maxWatchers {
		w, err := c.Watch(ctx)
		must(t, err)
		defer w.Close()
	}
	if _, err := c.Watch(ctx); err == nil || err.Error() != fmt.Sprint(maxWatchers, " watch already") {
		t.Errorf("one more: %v", err)
	}
	for range 400 {
		for range 32 {
			b.hosts[0].send(numbered(0, 60))
		}
		b.hosts[1].receive(32)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
}

func TestTakenControlPath(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "control")
	l, err := net.Listen("unix", path)
	must(t, err)
	defer l.Close()
	p := b.start("a b --control " + path)
	if line := p.line(t); !strings.Contains(line, "the path is taken") {
		t.Errorf("said %q", line)
	}
	if p.Wait() == nil {
		t.Error("exit status 0")
	}
	if conn, err := net.DialTimeout("unix", path, time.Second); err != nil {
		t.Errorf("the other's socket: %v", err)
	} else {
		conn.Close()
	}
	b.clean()
}

func TestWrongVerbs(t *testing.T) {
	for args, want := range map[string]string{
		"rule list":                   "--control is missing",
		"rule --control x":            "which verb",
		"rule --control x add":        "add takes the words of a rule",
		"rule --control x arm":        "arm takes the id of a rule",
		"rule --control x list r1":    "list takes nothing more",
		"rule --control x lost":       `"lost" is none of`,
		"rule --control /none/x list": "the cable does not answer",
	} {
		if err := tool(splitLine(args)...).Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// The document names every path that the socket answers.
func TestOpenAPIIsWhole(t *testing.T) {
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	must(t, json.Unmarshal(openAPI, &document))
	n := 0
	for _, verbs := range document.Paths {
		n += len(verbs)
	}
	if n != 9 {
		t.Errorf("%d operations", n)
	}
}
