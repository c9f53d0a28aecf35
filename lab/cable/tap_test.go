package cable

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/analyzer"
	"uelink/dataplane/fault/rule"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// tappedWire is a wire in memory that analyzes, captures into a file and has rules.
func tappedWire(t *testing.T, path string, texts ...string) (*memWire, *Cable) {
	t.Helper()
	w := newMemWire(fault.Config{})
	w.began, w.tap = time.Unix(1_700_000_000, 0), &tap{analyzer: analyzer.New(analyzer.Settings{})}
	c := &Cable{config: Config{A: "wa", B: "wb", Capture: path}, wire: &w.userWire,
		ends: []*end{{name: "wa"}, {name: "wb"}}}
	must(t, w.openRules(Config{A: "wa", B: "wb", Ruled: true}))
	for _, text := range texts {
		_, err := c.AddRule(text)
		must(t, err)
	}
	for _, l := range w.lanes {
		l.in.SetRules(w.rules, l.way, 16)
		l.in.SetObserver(w.tap, l.way)
	}
	for i := range w.outlets { // without the slots of the rules
		w.outlets[i] = newOutlet(w.lanes[i].in)
		w.lanes[1-i].out = w.outlets[i]
	}
	must(t, c.openCapture())
	w.record(c.capture, [2]string{"wa", "wb"})
	t.Cleanup(func() { c.capture.Close() })
	return w, c
}

// sequenced returns a data frame with a sequence number.
func sequenced(seq uint32) []byte {
	carried := make([]byte, 80)
	copy(carried, "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01\x08\x00")
	b := make([]byte, wire.DataLen(len(carried), true))
	return b[:wire.PutData(b, carried, wire.EtherTypeData, wire.DialectSeed, wire.Preamble{Seq: seq, Sequenced: true,
		FCS: true}, false)]
}

func answering(kind wire.CtlOSType, seq uint32) []byte {
	b := make([]byte, wire.MaxControlLen)
	return b[:wire.PutControl(b, wire.MAC{2, 0, 0, 0, 0, 2}, wire.EtherTypeControl, []wire.CtlOS{{Type: kind, Seq: seq}})]
}

// script sends a loss and its repair over a wire, some microseconds apart.
func script(t *testing.T, w *memWire) {
	t.Helper()
	for _, step := range []struct {
		from  int
		frame []byte
	}{{0, sequenced(1)}, {0, sequenced(2)}, {0, sequenced(3)}, {1, answering(wire.LLRNack, 1)}, {0, sequenced(2)},
		{0, sequenced(3)}, {1, answering(wire.LLRAck, 3)}} {
		w.now = w.now.Add(time.Microsecond)
		if !w.hosts[step.from].Send(step.frame) {
			t.Fatal("no room")
		}
		w.settle(t)
	}
}

// reportOf returns the report of a cable over a wire in memory, whose interfaces have no statistics.
func reportOf(w *memWire, c *Cable) Report {
	r := Report{Capture: c.captured()}
	for i, counts := range w.snapshot {
		r.Directions = append(r.Directions, Direction{From: c.ends[i].name, To: c.ends[1-i].name, Counts: counts})
	}
	c.analysis(&r)
	return r
}

// What the wire has measured is in the report, its tables and its plot, until it is cleared.
func TestAnalysis(t *testing.T) {
	w, c := tappedWire(t, filepath.Join(t.TempDir(), "c"), "kind=data nth=2 drop")
	script(t, w)
	r := reportOf(w, c)
	f := r.Directions[0].Analysis.LLR
	if f.Frames != 3 || f.Resent != 2 || f.Lost != 1 || f.Unrepaired != 0 || f.FalseNacks != 0 || f.Nacks != 1 ||
		f.NackToResent.Max != time.Microsecond || f.LostToGood.Max != 3*time.Microsecond || f.DataToAck.Count != 1 {
		t.Errorf("%+v", f)
	}
	var out bytes.Buffer
	must(t, r.WriteTable(&out))
	for _, want := range []string{"wa    lost frame to good copy", "3µs", "false nacks", "wb    between control",
		"longest gap between two polls", "capture "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	svg := string(r.Plot().SVG())
	if !strings.Contains(svg, "wa: lost frame to good copy") || !strings.Contains(svg, "polyline") {
		t.Errorf("plot: %s", svg)
	}
	must(t, c.ClearAnalysis())
	if r = reportOf(w, c); r.Directions[0].Analysis.LLR.Frames != 0 || r.Directions[0].Dropped != 1 {
		t.Errorf("cleared: %+v", r.Directions[0])
	}
	plain := &Cable{wire: &newMemWire(fault.Config{}).userWire}
	if err := plain.ClearAnalysis(); !errors.Is(err, errNotAnalyzed) {
		t.Errorf("without an analysis: %v", err)
	}
}

// The capture has each frame as it arrived, with a comment at each hit, and as it left.
func TestCapturedHits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	w, c := tappedWire(t, path, "id=lose kind=data nth=2 drop", "id=see kind=nack count",
		"kind=nack rewrite=seq:+0 continue", "id=late kind=ack hold=5us", "id=forge on=late from=b inject=ack:+0")
	script(t, w)
	must(t, c.closeCapture())
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	ng, err := pcapgo.NewNgReader(f, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	must(t, err)
	var lines []string
	last := time.Time{}
	for {
		octets, info, options, err := ng.ReadPacketDataWithOptions()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		kind := "control"
		if wire.EtherType(octets) == wire.EtherTypeData {
			kind = "data"
		}
		lines = append(lines, strings.TrimSpace(strings.Join([]string{[]string{"wa", "wb"}[info.InterfaceIndex],
			[]string{"?", "in", "out"}[options.Flags.Direction], kind, strings.Join(options.Comments, "")}, " ")))
		if info.Timestamp.Before(last) {
			t.Errorf("%s before the frame above", lines[len(lines)-1])
		}
		last = info.Timestamp
	}
	want := []string{"wa in data", "wb out data", "wa in data rule lose: drop data seq 2 vc 0", "wa in data",
		"wb out data",
		"wb in control rule see: count nack seq 1; rule r1: rewrite nack seq 1", "wa out control",
		"wa in data", "wb out data", "wa in data", "wb out data", "wb in control rule late: hold ack seq 3",
		"wb ? control rule forge: inject ack", "wa out control", "wa out control"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("captured\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	s := c.captured()
	if s.Frames != uint64(len(want)) || s.ended() != "" || !strings.Contains(s.String(), "15 frames") {
		t.Errorf("%+v, %s", s, s)
	}
}

// A comment of many hits is bounded.
func TestCommentIsBounded(t *testing.T) {
	r := &record{}
	for range 1000 {
		r.hit(rule.Hit{ID: "r1", Seq: -1, VC: -1}, nil)
	}
	if len(r.comment) > pcap.MaxComment+100 {
		t.Errorf("%d octets", len(r.comment))
	}
}

// Analysis and capture allocate nothing for a frame.
func TestTapAllocatesNothing(t *testing.T) {
	w, _ := tappedWire(t, filepath.Join(t.TempDir(), "c"), "kind=data count")
	seq := uint32(0)
	send := func() {
		f := sequenced(seq)
		seq++
		w.hosts[0].Send(f)
		for range 3 {
			if _, err := w.carryAll(); err != nil {
				t.Fatal(err)
			}
		}
		w.hosts[1].Recv()
	}
	send()
	w.tap.analyzer = nil
	base := testing.AllocsPerRun(200, send)
	w.tap.analyzer = analyzer.New(analyzer.Settings{})
	if n := testing.AllocsPerRun(200, send); n > base {
		t.Errorf("%v allocations, without the analyzer %v", n, base)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 1234: "1.23µs", 123_456: "123µs",
		1_234_567: "1.23ms", 12_345_678_901: "12.3s"} {
		if got := short(d); got != want {
			t.Errorf("%d: %s", d, got)
		}
	}
}
