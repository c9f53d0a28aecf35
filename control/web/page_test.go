package web

import (
	"html"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/control/status"
	"uelink/dataplane/model"
	"uelink/internal/events"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/llr"
)

// mostOctets is the size of all files that the page consists of, without the state of a daemon.
const mostOctets = 60_000

// The page is small.
func TestSize(t *testing.T) {
	octets := 0
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := files.ReadFile(name)
			octets += len(text)
		}
		return err
	})
	if err != nil || octets == 0 || octets > mostOctets {
		t.Errorf("%d octets, %v", octets, err)
	}
	t.Logf("%d octets of files", octets)
}

// Without JavaScript the page is a snapshot: it says what uelink status says, and has the links, events and neighbours.
func TestSnapshot(t *testing.T) {
	d := &daemon{ports: append(controltest.Ports(), controltest.HIPPIPort())}
	d.events = []model.Event{{Time: time.Now(), Port: "link1", Kind: "llr_tx_status", Text: "FLUSH",
		Level: events.Error}}
	s := serve(t, d)
	_, body := s.ask(http.MethodGet, "/")
	l := s.sampler.source.newLook()
	for _, line := range status.Judge(l.ports, l.agents, l.neighbors, l.unmet) {
		for _, text := range []string{line.Port, line.Problem, line.Type, line.At} {
			if !strings.Contains(body, html.EscapeString(text)) {
				t.Errorf("the page does not say %q of %s", text, line.Port)
			}
		}
	}
	for _, want := range []string{
		"<h1>uelink on hosta</h1>", "3 of 4 ports with a problem.", "✖</span> ERROR", "✓</span> OK",
		"sends: ADVANCE", "12 of 4096 frames not acknowledged", "replays: 17", "waits: 5 frames",
		"VC 1, lossless", "credits used", "sends: FLUSH", "micropackets buffered", "255 of 255 credits used, full",
		"llr_tx_status", "of before", "hostb", "Load it again for the present state",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(body)
	}
	if strings.Contains(body, "style=") || strings.Contains(body, "<script>") || strings.Contains(body, "onclick") {
		t.Error("the page has what its own policy forbids")
	}
}

// The troubles of the daemon itself are on the page, with the command to type, and go when they are over.
func TestTroublesOfTheDaemonAreOnThePage(t *testing.T) {
	d := &daemon{ports: well(), troubles: []string{
		"metrics are not served: the address is taken: type: uelink config set metrics.listen :1 && uelink reload",
		"the reader of the log has gone",
	}}
	source := d.source()
	source.LLDP = onlyLink{source.LLDP.(agents)}
	p := newSampler(source, newBoard(), func() int { return 0 })
	body := string(p.page())
	for _, want := range []string{
		"metrics are not served", "<code>uelink config set metrics.listen :1 &amp;&amp; uelink reload</code>",
		"the reader of the log has gone", `<th scope="row">daemon</th>`,
		"All well: 2 ports without a problem. The daemon itself has a problem.", "(1) uelink on hosta",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	d.set(func() { d.troubles = nil })
	p.board = newBoard() // the next look comes at once
	if body := string(p.page()); strings.Contains(body, "daemon") || !strings.Contains(body, "without a problem.</p>") {
		t.Errorf("after the troubles the page says %s", body)
	}
}

// Events have the order in which they came, also where the clock was set back between two runs of the daemon, or in one
// of them: those of before do not hide new ones.
func TestEventsAfterTheClockWasSetBack(t *testing.T) {
	at := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	d := &daemon{events: []model.Event{{Time: at.Add(time.Minute), Text: "b"}, {Time: at, Text: "c"}}}
	s := d.source()
	s.LLDP, s.Past = &controltest.LLDP{}, nil
	for n := range shownEvents {
		s.Past = append(s.Past, api.Event{Time: at.Add(time.Hour + time.Duration(n)), Text: "a"})
	}
	s.Past = append(s.Past, api.Event{Time: at.Add(time.Minute), Text: "b"}) // on disk, and in memory
	list := s.events()
	if len(list) != shownEvents || list[0].Text != "c" || list[1].Text != "b" || list[2].Text != "a" {
		t.Errorf("%d events, the newest: %+v", len(list), list[:3])
	}
}

// What strangers say cannot become HTML, control a terminal, turn the direction of text, or end an event of the stream.
func TestTextsOfStrangers(t *testing.T) {
	const evil = "<img src=x onerror=alert(1)>\"'&\x1b[31m\r\n\r\nevent: all\r\ndata: \u202emoc.live"
	p := controltest.Ports()
	p[0].Fault, p[0].LLR.PartnerProblem = evil, evil
	d := &daemon{ports: p, events: []model.Event{{Time: time.Now(), Port: evil, Kind: evil, Text: evil}}}
	d.neighbors = []agent.Neighbor{{Port: "link1", Interface: "eth2", Destination: lldp.NearestBridge,
		Neighbor: stranger(t, evil)}}
	s := serve(t, d)
	_, body := s.ask(http.MethodGet, "/")
	r := s.open()
	defer r.conn.Close()
	event, text := r.next()
	if event != "all" || !strings.HasSuffix(text, "</section>\n") {
		t.Errorf("the first event of a stream is %q and ends so: %q", event, text[max(0, len(text)-50):])
	}
	for name, shown := range map[string]string{"page": body, "stream": text} {
		if n := strings.Count(shown, "&lt;img src=x onerror=alert(1)&gt;"); n < 4 {
			t.Errorf("%s: %d texts of %d\n%s", name, n, 4, shown)
		}
		if strings.Contains(shown, "<img") {
			t.Errorf("%s: it is not escaped:\n%s", name, shown)
		}
		for _, r := range shown {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%s: it has %U", name, r)
			}
		}
		if !strings.Contains(shown, `\u001b[31m`) || !strings.Contains(shown, `\u202e`) {
			t.Errorf("%s: control characters are not shown", name)
		}
	}
}

// stranger returns a neighbour that calls itself, its port and its chassis so.
func stranger(t *testing.T, name string) lldp.Neighbor {
	t.Helper()
	pdu := &lldp.PDU{
		Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte(name)},
		Port:    lldp.PortID{Subtype: lldp.PortLocal, ID: []byte(name)}, TTL: 120,
		SystemName: []byte(name), SystemDescription: []byte(name),
	}
	octets, _ := pdu.Append(nil)
	info, fault := lldp.NewInfo(octets)
	if fault != lldp.NoFault {
		t.Fatal(fault)
	}
	return lldp.Neighbor{Info: info}
}

// A page without ports, and one whose ports are well.
func TestSummary(t *testing.T) {
	for _, c := range []struct {
		ports []api.Port
		want  string
	}{
		{nil, "No ports are configured."},
		{[]api.Port{{Name: "a", OperStatus: "up"}}, "All well: 1 port without a problem."},
		{[]api.Port{{Name: "a", OperStatus: "up"}, {Name: "b", OperStatus: "down"}}, "1 of 2 ports with a problem."},
	} {
		l := &look{station: "here", ports: c.ports}
		if v := headOf(l, status.Judge(l.ports, nil, nil, nil, "")); v.Summary != c.want {
			t.Errorf("%q, want %q", v.Summary, c.want)
		}
	}
}

// The picture of a link has the limits of both directions, what waits, and what a full window looks like, in numbers
// and in words.
func TestPicture(t *testing.T) {
	l := look{ports: []api.Port{
		{Name: "link0", XConnect: "edge0", QueuedFrames: 1, LLR: &api.LLR{TxStatus: llr.TxReplay, RxStatus: llr.RxSendAcks,
			OutstandingFrames: 128, MaxOutstandingFrames: 128}},
		{Name: "edge0", QueuedFrames: 7, StandsStill: true},
	}}
	pic := pictureOf(&l, &l.ports[0])
	const want = "Link link0 with no partner. It sends: REPLAY; waits: 1 frame; window: 128 of 128 frames not " +
		"acknowledged, full; replays: 0. It receives: SEND_ACKS; waits for edge0: 7 frames, not taken by the host; " +
		"gaps, requested again: 0; replays of the partner: 0."
	if got := pic.Says(); got != want {
		t.Errorf("%s", got)
	}
	window := pic.Lanes[0].Rows[1]
	if !window.Full || window.Bar != barLength {
		t.Errorf("a full window: %+v", window)
	}
	for used, bar := range map[int]int{-1: 0, 0: 0, 32: barLength / 4, 64: barLength / 2, 1000: barLength} {
		var of lane
		of.bar("", used, 128, "")
		if r := of.Rows[0]; r.Bar != bar || r.Full != (used >= 128) {
			t.Errorf("%d of 128: %+v, want a bar of %d", used, r, bar)
		}
	}
}
