package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/config"
	"uelink/dataplane/fault"
	"uelink/internal/netns/nstest"
	"uelink/internal/programtest"
	"uelink/lab/traffic"
)

func TestDaemonConfigurationIsValid(t *testing.T) {
	for _, dialect := range []string{"seed", "ue1"} {
		c, err := config.Parse("demo.yaml", []byte(configText("A", "/run/x/A.sock", Options{Dialect: dialect})))
		if err != nil {
			t.Fatalf("dialect %s: %v", dialect, err)
		}
		if got := c.Settings.Ports[0].Dialect.String(); got != dialect {
			t.Errorf("dialect %s became %s", dialect, got)
		}
	}
	c, err := config.Parse("demo.yaml", []byte(configText("A", "/run/x/A.sock", Options{Protocol: hippi, VCs: 3})))
	if err != nil || c.Settings.Ports[0].Protocol.String() != hippi {
		t.Errorf("protocol %s: %v", hippi, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"loss 2":                 func(o *Options) { o.Fault.Loss = 2 },
		"loses or damages every": func(o *Options) { o.Fault.Loss = 1 },
		"dialect \"x\"":          func(o *Options) { o.Dialect = "x" },
		"at least one is needed": func(o *Options) { o.Traffic.Frames = 0 },
		"size":                   func(o *Options) { o.Traffic.Size = "1515" },
		"protocol \"x\"":         func(o *Options) { o.Protocol = "x" },
		"at most 3 virtual":      func(o *Options) { o.Protocol, o.VCs = hippi, 4 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if o := DefaultOptions(); o.Validate() != nil || o.Traffic.Frames < 500_000 {
		t.Errorf("the defaults are refused, or too few: %v, %d frames", o.Validate(), o.Traffic.Frames)
	}
}

// sample is a result with a different number in every place.
func sample() Result {
	direction := func(n uint64) traffic.Direction {
		return traffic.Direction{From: "hostA", To: "hostB", Sent: n, Delivered: n, GoodputBPS: n * 1000, PPS: n, Seconds: 1}
	}
	return newResult(traffic.Result{Directions: []traffic.Direction{direction(100), direction(200)}},
		[2]fault.Counters{{Dropped: 1, Corrupted: 2, Duplicated: 3, Reordered: 4},
			{Dropped: 5, Corrupted: 6, Duplicated: 7, Reordered: 8}},
		[2]counted{{in: door{9, "rx_ring_full 9"}, out: door{13, "tx_drop_down 13"}, replays: 10},
			{in: door{11, "rx_ring_full 11"}, out: door{14, "tx_drop_down 14"}, replays: 12}},
		&Options{Fault: fault.Config{Seed: 42}})
}

// TestJSONKeys: the keys that programs read.
func TestJSONKeys(t *testing.T) {
	text, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Directions []map[string]any }
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("from to sent delivered lost duplicated reordered corrupted_delivered edge_overrun " +
		"wire_dropped wire_corrupted " +
		"wire_duplicated wire_reordered goodput_bps pps seconds replays edge_rx_dropped edge_tx_dropped latency_us")
	for i, d := range r.Directions {
		for _, key := range want {
			if _, ok := d[key]; !ok {
				t.Errorf("direction %d lacks %q", i, key)
			}
		}
	}
	if d := r.Directions[1]; d["wire_dropped"] != 5.0 || d["edge_rx_dropped"] != 11.0 || d["edge_tx_dropped"] != 13.0 ||
		d["replays"] != 12.0 {
		t.Errorf("numbers of the other direction: %v", d)
	}
}

func TestVerdict(t *testing.T) {
	var b bytes.Buffer
	r := sample()
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "delivered every one of 300 frames exactly once") {
		t.Errorf("a clean run is not said to be one:\n%s", b.String())
	}
	for _, spoil := range []func(d *Direction){
		func(d *Direction) { d.Lost = 26 }, func(d *Direction) { d.Duplicated = 1 },
		func(d *Direction) { d.Reordered = 1 }, func(d *Direction) { d.CorruptedDelivered = 1 },
		func(d *Direction) { d.Lost, d.Duplicated = 1, 1 },
	} {
		r := sample()
		spoil(&r.Directions[1])
		b.Reset()
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		if r.Clean() || !strings.Contains(b.String(), "did NOT deliver") {
			t.Errorf("a run that is not clean is said to be one: %+v", r.Directions[1])
		}
	}
}

// What was lost at a door of an edge, or by the host, the link has not lost: the verdict says where it was lost. The
// run is not clean all the same.
func TestVerdictOnLossesOutsideOfTheLink(t *testing.T) {
	const link = "The link delivered every frame that reached the link exactly once, in order and unchanged"
	for _, c := range []struct {
		name  string
		spoil func(d *Direction)
		text  []string
	}{
		{"door of the sending edge", func(d *Direction) { d.Lost, d.EdgeTxDropped = 11, 0 }, []string{link,
			"11 of 300 frames were lost outside the link", "The edge of station B dropped 11 frames of hostB before they reached the link",
			"(rx_ring_full 11)", "rx_ring_size"}},
		{"door of the receiving edge", func(d *Direction) { d.Lost, d.EdgeRxDropped = 13, 0 }, []string{link,
			"The edge of station A dropped 13 frames for hostA after they had crossed the link (tx_drop_down 13)"}},
		{"the host", func(d *Direction) { d.Lost, d.EdgeOverrun, d.EdgeRxDropped, d.EdgeTxDropped = 5, 5, 0, 0 },
			[]string{link, "hostA dropped 5 frames"}},
		{"both doors", func(d *Direction) { d.Lost = 24 }, []string{link, "24 of 300", "after they had crossed the link", "before they reached the link"}},
		{"one more", func(d *Direction) { d.Lost = 25 }, []string{"did NOT deliver", "before they reached the link", "after they had crossed the link"}},
	} {
		r := sample()
		r.Directions[0].From, r.Directions[1].From, r.Directions[1].To = "hostA", "hostB", "hostA"
		c.spoil(&r.Directions[1])
		var b bytes.Buffer
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.text {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s: it does not say %q:\n%s", c.name, text, b.String())
			}
		}
		if r.Clean() {
			t.Errorf("%s: a run that lost frames is clean", c.name)
		}
	}
}

func TestCableReport(t *testing.T) {
	by, err := parseReport([]byte(`{"directions":[{"from":"b","to":"a","wire_dropped":2},` +
		`{"from":"a","to":"b","wire_dropped":1}]}`))
	if err != nil || by[0].Dropped != 1 || by[1].Dropped != 2 {
		t.Errorf("got %+v, %v", by, err)
	}
	for _, bad := range []string{"", "{", `{"directions":[{"from":"c"}]}`} {
		if _, err := parseReport([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// built returns the paths of the two programs.
func built(t *testing.T) (tool, daemon string) {
	return programtest.Path(t, "uelink"), programtest.Path(t, "uelinkd")
}

// TestNothingIsLost is the demo itself, short.
func TestNothingIsLost(t *testing.T) {
	nstest.New(t, "root") // or skip
	for name, change := range map[string]func(*Options){
		"seed": func(*Options) {}, "ue1": func(o *Options) { o.Dialect = "ue1" },
		hippi: func(o *Options) { o.Protocol = hippi },
	} {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			o.Tool, o.Daemon = built(t)
			o.Traffic.Frames, o.Traffic.Size = 20_000, "imix"
			change(&o)
			r, err := Run(context.Background(), o, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Directions {
				if !d.Clean() || d.Delivered != 20_000 || d.WireDropped == 0 || d.WireCorrupted == 0 || d.WireDuplicated == 0 ||
					d.WireReordered == 0 || d.Replays == 0 {
					t.Errorf("%+v", d)
				}
			}
			leavesNothing(t)
		})
	}
}

// TestChildThatFails: its words are in the error, and everything is taken down.
func TestChildThatFails(t *testing.T) {
	nstest.New(t, "root") // or skip
	o := DefaultOptions()
	o.Tool, o.Daemon = built(t)
	o.Daemon = filepath.Join(t.TempDir(), "failing")
	if err := os.WriteFile(o.Daemon, []byte("#!/bin/sh\necho no luck today >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), o, nil)
	if err == nil || !strings.Contains(err.Error(), "no luck today") {
		t.Errorf("error %v, want what the daemon said", err)
	}
	leavesNothing(t)
}

// TestInterrupted: a context that ends stops the run, and everything is taken down.
func TestInterrupted(t *testing.T) {
	nstest.New(t, "root") // or skip
	o := DefaultOptions()
	o.Tool, o.Daemon = built(t)
	o.Traffic.Frames = 1 << 40
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := Run(ctx, o, func(traffic.Progress) { cancel() })
	if err == nil || len(r.Directions) != 2 {
		t.Errorf("error %v, %d directions; want errStopped and what was sent until then", err, len(r.Directions))
	}
	leavesNothing(t)
}

// TestDirectoryOfADeadProcessGoes: a crashed run's does, that of a living one stays.
func TestDirectoryOfADeadProcessGoes(t *testing.T) {
	nstest.New(t, "root") // or skip
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	stale, alive := dirPrefix+strconv.Itoa(dead.Process.Pid), dirPrefix+strconv.Itoa(os.Getppid())
	for _, dir := range []string{stale, alive} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	own, err := makeDir()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(own)
	if _, err := os.Stat(stale); err == nil {
		t.Errorf("%s is still there", stale)
	}
	if _, err := os.Stat(alive); err != nil {
		t.Error(err)
	}
}

// leavesNothing checks that no namespace and no directory of ours is left.
func leavesNothing(t *testing.T) {
	t.Helper()
	if dirs, _ := filepath.Glob(dirPrefix + strconv.Itoa(os.Getpid())); len(dirs) > 0 {
		t.Errorf("left behind: %v", dirs)
	}
	names, _ := filepath.Glob("/run/netns/uelink-*")
	names = slices.DeleteFunc(names, func(n string) bool {
		return !slices.Contains([]string{"hostA", "A", "wire", "B", "hostB"}, n[strings.LastIndex(n, "-")+1:]) ||
			!strings.Contains(n, ours())
	})
	if len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// ours returns the part that the names of this process's namespaces have in common.
func ours() string { return "-" + strconv.Itoa(os.Getpid()) + "-" }
