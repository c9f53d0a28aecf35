package tester

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/cable"
	"uelink/lab/e2e/bed"
)

// stage is two daemons, a wire between them whose rules come and go, and a capture at each end of the wire.
type stage struct {
	t        *testing.T
	top      *bed.Topology
	pair     bed.Pair
	wire     bed.Plugged
	path     string // of the control socket
	control  *cable.Client
	captures [2]string
	hosts    [2]*bed.Packets
	sent     uint32 // probes from hostA
	marks    int    // marks so far
}

// newStage plugs a wire, with a control socket and these flags, and starts a daemon at each end. settings has the
// configuration with the file of its capture.
func newStage(t *testing.T, settings func(capture string) bed.Configuration, flags ...string) *stage {
	t.Helper()
	s := &stage{t: t, top: bed.Cabled(t)}
	dir := t.TempDir()
	s.plug(filepath.Join(dir, "control"), flags...)
	var daemons [2]*bed.Daemon
	for i, ns := range []*netns.NS{s.top.A, s.top.B} {
		s.captures[i] = filepath.Join(dir, "AB"[i:i+1]+".pcapng")
		daemons[i] = bed.NewDaemon(t, ns, "AB"[i:i+1], settings(s.captures[i]))
		daemons[i].Start()
	}
	s.pair = bed.Pair{A: daemons[0], B: daemons[1]}
	for i, ns := range []*netns.NS{s.top.HostA, s.top.HostB} {
		s.hosts[i] = bed.Open(t, ns, "eth0", unix.ETH_P_ALL)
	}
	return s
}

// plug plugs the wire, with a control socket.
func (s *stage) plug(path string, flags ...string) {
	s.t.Helper()
	s.wire = s.top.Cable(append([]string{"--mode", "user", "--control", path}, flags...)...)
	s.path, s.control = path, cable.NewClient(path)
	s.t.Cleanup(s.control.Close)
	bed.Eventually(s.t, "the control socket", func() string {
		if _, err := s.control.Rules(s.context()); err != nil {
			return err.Error()
		}
		return ""
	})
}

// needsTshark skips a test where there is no tshark.
func needsTshark(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
}

// ends ends both daemons, and returns the messages that each has sent and received, by its capture.
func (s *stage) ends() (looks [2][]unit) {
	s.t.Helper()
	for i, d := range []*bed.Daemon{s.pair.A, s.pair.B} {
		if code := d.Terminate(); code != 0 {
			s.t.Fatalf("%s: exit %d", d.Name, code)
		}
		looks[i] = look(s.t, s.captures[i])
	}
	return looks
}

// pause is the time between two frames of a host: an LLR_ACK follows each.
const pause = 300 * time.Microsecond

// probes sends frames from hostA, with a VLAN tag unless tci is 0, and waits until as many as arrive have come to
// hostB.
func (s *stage) probes(n, arrive int, tci uint16) { s.t.Helper(); s.paced(n, arrive, tci, pause) }

// paced is probes with another time between two frames.
func (s *stage) paced(n, arrive int, tci uint16, pause time.Duration) {
	s.t.Helper()
	s.hosts[1].Drain()
	for range n {
		f := bed.Probe(s.sent, 60+int(s.sent*37%900))
		if tci != 0 {
			f = bed.Tag(f, 0x8100, tci)
		}
		s.hosts[0].Send(f)
		s.sent++
		time.Sleep(pause)
	}
	got := 0
	bed.Eventually(s.t, fmt.Sprintf("%d frames at hostB", arrive), func() string {
		for f := s.hosts[1].Next(); f != nil; f = s.hosts[1].Next() {
			if isProbe(f) {
				got++
			}
		}
		if got < arrive {
			return fmt.Sprintf("%d", got)
		}
		return ""
	})
}

// mark sends a frame both ways, and waits until both have crossed, and for their acknowledgements: what was on the wire
// before has crossed, too, and no rule strikes a copy of the mark. The looks show where it was. Such a frame has no
// sequence number of LLR.
func (s *stage) mark() {
	s.t.Helper()
	for i, host := range s.hosts {
		f := bed.Probe(0, 300)
		copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, 0x0D})
		f[11] = 9 // another source than that of probes
		for at := 14; at < len(f); at += len(sign(i, s.marks)) {
			copy(f[at:], sign(i, s.marks))
		}
		host.Send(f)
	}
	for i, host := range s.hosts {
		host.Await("a mark", func(f []byte) bool { return strings.Contains(string(f), sign(1-i, s.marks)) })
	}
	time.Sleep(calm)
	s.marks++
}

// sign returns what a mark of a way has in it, again and again.
func sign(way, n int) string { return fmt.Sprintf("mark%c%03d", "AB"[way], n) }

// isProbe reports whether a frame is one of probes, by its source address.
func isProbe(f []byte) bool { return len(f) > 12 && string(f[6:12]) == string(bed.Probe(0, 60)[6:12]) }

// rules returns the rules of the wire by their ids.
func (s *stage) rules() map[string]cable.RuleStatus {
	s.t.Helper()
	all, err := s.control.Rules(s.context())
	bed.Must(s.t, err)
	by := map[string]cable.RuleStatus{}
	for _, r := range all {
		by[r.ID] = r
	}
	return by
}

func (s *stage) context() context.Context { return context.Background() }

// add puts a rule on the wire.
func (s *stage) add(rule string) (id string) {
	s.t.Helper()
	id, err := s.control.Add(s.context(), rule)
	bed.Must(s.t, err)
	return id
}

// injection is what a test has a wire do, and what both looks must show of it.
type injection struct {
	name    string
	effects []effect
	do      func(s *stage) // makes the frames that the rules strike
	free    bool           // what is held is released when do has ended
	check   func(d [2]difference) string

	hits []uint64 // of the rules
}

// effect is a rule, and for each hit of it the names of the messages that are lost, added or moved, with commas.
type effect struct {
	rule               string
	hits               uint64 // 0: one at least
	lost, added, moved string
}

// way returns the way that a rule is about, 0 or 1.
func (e *effect) way() int {
	if strings.Contains(e.rule, "from=b") {
		return 1
	}
	return 0
}

// inject runs an injection. ready waits until the ends are as they were.
func (s *stage) inject(in *injection, ready func() string) {
	s.t.Helper()
	var ids []string
	for _, e := range in.effects {
		ids = append(ids, s.add(e.rule))
	}
	struck := func() string {
		rules := s.rules()
		for i, e := range in.effects {
			if h := rules[ids[i]].Hits; h < max(e.hits, 1) {
				return fmt.Sprintf("%s: %d", e.rule, h)
			}
		}
		return ""
	}
	bed.Eventually(s.t, in.name+": hits", func() string {
		in.do(s) // again, where a busy end has sent fewer messages
		for range 5 {
			if struck() == "" {
				break
			}
			time.Sleep(calm)
		}
		return struck()
	})
	if in.free {
		bed.Must(s.t, s.control.Change(s.context(), ids[0], "release"))
	}
	bed.Eventually(s.t, in.name+": the wire holds nothing", func() string {
		for _, r := range s.rules() {
			if r.Held > 0 {
				return fmt.Sprintf("%s holds %d", r.ID, r.Held)
			}
		}
		return ""
	})
	for i, id := range ids {
		in.hits = append(in.hits, s.rules()[id].Hits)
		if want := in.effects[i].hits; want > 0 && in.hits[i] != want {
			s.t.Errorf("%s: %s: %d hits", in.name, in.effects[i].rule, in.hits[i])
		}
		bed.Must(s.t, s.control.Delete(s.context(), id))
	}
	bed.Eventually(s.t, in.name+": the link is as before", ready)
	s.mark()
}

// run runs injections one after the other, with marks between them.
func (s *stage) run(list []injection, ready func() string) {
	s.t.Helper()
	s.mark()
	for i := range list {
		s.inject(&list[i], ready)
	}
}

// calm is longer than the ends take to answer.
const calm = 15 * time.Millisecond

// judge reports for each injection what the looks show besides what they must. Mark 0 is before the first.
func judge(t *testing.T, list []injection, looks [2][]unit) {
	t.Helper()
	for i := range list {
		in := &list[i]
		t.Run(in.name, func(t *testing.T) {
			var d [2]difference
			for way := range d {
				sent, received := marked(looks[way], true, way, i), marked(looks[1-way], false, way, i)
				d[way] = compare(sent, received)
			}
			for way := range d {
				if got, want := d[way].String(), in.wanted(way).String(); got != want && !strings.Contains(want, "*") {
					t.Errorf("from %c: %s, expected %s", "ab"[way], got, want)
				}
			}
			if in.check != nil && !t.Failed() {
				if problem := in.check(d); problem != "" {
					t.Error(problem)
				}
			}
			for j, e := range in.effects {
				t.Logf("%s: %d hits", e.rule, in.hits[j])
			}
			t.Logf("from a: %s; from b: %s", d[0], d[1])
		})
	}
}

// marked returns the messages sent, or received, on a way between mark n and the next.
func marked(all []unit, out bool, way, n int) (some []unit) {
	begun := false
	for _, u := range all {
		switch {
		case u.out != out:
		case strings.Contains(u.octets, sign(way, n)):
			begun, some = true, nil
		case strings.Contains(u.octets, sign(way, n+1)):
			return some
		case begun:
			some = append(some, u)
		}
	}
	return some
}

// wanted returns the difference that the effects of an injection make on a way, by names.
func (in *injection) wanted(way int) (d difference) {
	for i, e := range in.effects {
		if e.way() != way {
			continue
		}
		for range in.hits[i] {
			d.lost = append(d.lost, named(e.lost)...)
			d.added = append(d.added, named(e.added)...)
			for _, u := range named(e.moved) {
				d.moved = append(d.moved, move{unit: u})
			}
		}
	}
	return d
}

// named returns messages with the names of a list.
func named(list string) (all []unit) {
	if list == "" {
		return nil
	}
	for _, name := range strings.Split(list, ",") {
		all = append(all, unit{name: name})
	}
	slices.SortFunc(all, func(a, b unit) int { return strings.Compare(a.name, b.name) })
	return all
}
