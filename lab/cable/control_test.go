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

	"uelink/dataplane/fault/analyzer"
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
	for name, err := range map[string]error{
		"there is no rule": c.Change(ctx, "held", "arm"), "unknown word": wrong,
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
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
	const refused = " clients watch already, and no more may"
	if _, err := c.Watch(ctx); err == nil || err.Error() != fmt.Sprint(maxWatchers, refused) {
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
	if line := p.line(t); !strings.Contains(line, "the path exists") {
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
		"rule --control x":            "the verb is missing",
		"rule --control x add":        "add takes the words of a rule",
		"rule --control x arm":        "arm takes the id of a rule",
		"rule --control x list r1":    "list takes no argument",
		"rule --control x lost":       `"lost" is none of`,
		"rule --control /none/x list": "the cable does not answer",
		"report":                      "--control is missing",
		"clear --control x y":         "clear takes no argument",
		"report --control /none/x":    "the cable does not answer",
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
	if n != 11 {
		t.Errorf("%d operations", n)
	}
}

// The document has each field of the report.
func TestOpenAPIHasTheReport(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	must(t, json.Unmarshal(openAPI, &document))
	for name, object := range map[string]any{
		"Report":    Report{Rules: []RuleStatus{{}}, Capture: &Captured{}, Unseen: &analyzer.Times{}},
		"Direction": Direction{Analysis: &analyzer.Way{}}, "Captured": Captured{Error: "x"}, "Flow": analyzer.Flow{},
		"Times": analyzer.Times{}, "Class": analyzer.Class{},
		"Analysis": analyzer.Way{HIPPI: &analyzer.Flow{}, Spacing: map[string]analyzer.Times{"ack": {}}},
	} {
		octets, err := json.Marshal(object)
		must(t, err)
		var fields map[string]any
		must(t, json.Unmarshal(octets, &fields))
		for field := range fields {
			if document.Components.Schemas[name].Properties[field] == nil {
				t.Errorf("%s has no %s", name, field)
			}
		}
		if n := len(document.Components.Schemas[name].Properties); n != len(fields) {
			t.Errorf("%s has %d fields, the object %d", name, n, len(fields))
		}
	}
}

// The report of a running cable has what it has measured; it can be cleared, drawn, and is refused without --analyze.
func TestReportOfARunningCable(t *testing.T) {
	b := newBench(t, 1500)
	dir := t.TempDir()
	path, plot, captured := filepath.Join(dir, "control"), filepath.Join(dir, "plot"), filepath.Join(dir, "capture")
	p := b.start("-o json a b --analyze --rule kind=data;nth=2;drop --control " + path + " --capture " + captured +
		" --plot " + plot)
	p.line(t)
	for _, seq := range []uint32{1, 2, 3, 2} {
		b.hosts[0].send(sequenced(seq))
	}
	b.hosts[1].receive(3)
	c, ctx := NewClient(path), t.Context()
	defer c.Close()
	r, err := c.Report(ctx)
	must(t, err)
	if f := r.Directions[0].Analysis.LLR; f.Frames != 3 || f.Lost != 1 || f.LostToGood.Count != 1 || r.Unseen.Count == 0 {
		t.Errorf("%+v", f)
	}
	live := filepath.Join(dir, "live")
	must(t, tool("report", "--control", path, "--plot", live).Execute())
	if svg, err := os.ReadFile(live); err != nil || !strings.Contains(string(svg), "lost frame to good copy") {
		t.Errorf("plot of the running cable: %v", err)
	}
	must(t, tool("clear", "--control", path).Execute())
	if r, err = c.Report(ctx); err != nil || r.Directions[0].Analysis.LLR.Frames != 0 {
		t.Errorf("cleared: %v", err)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
	must(t, json.Unmarshal(p.out.Bytes(), &r))
	if r.Capture == nil || r.Capture.Frames != 7 || r.Capture.File != captured || r.Capture.Missed != 0 {
		t.Errorf("%+v", r.Capture)
	}
	if _, err := os.Stat(plot); err != nil {
		t.Error(err)
	}
	b.clean()
}

func TestUnanalyzedCable(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "control")
	p := b.start("-o json a b --control " + path)
	p.line(t)
	for _, args := range [][]string{{"clear", "--control", path}, {"report", "--control", path, "--plot", "x"}} {
		if err := tool(args...).Execute(); err == nil || !strings.Contains(err.Error(), "start it with --analyze") {
			t.Errorf("%s: %v", args, err)
		}
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
}
