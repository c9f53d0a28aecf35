package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// patient is a link whose end A drops frames.
type patient struct {
	*person
	top      *bed.Topology
	from, to *bed.Packets // at the hosts of A and B
}

// followed waits until A waits for B, and types what the status of B says.
func (p *patient) followed() {
	p.t.Helper()
	p.shows(p.A, "waiting for … at …")
	bed.Eventually(p.t, "a command at B", func() string {
		found, problems := commands(p.B)
		if len(found) == 0 {
			return fmt.Sprintf("it says %q", problems)
		}
		p.types(p.B, found[0])
		return ""
	})
	bed.Eventually(p.t, "B has no trouble any more", func() string {
		found, _ := commands(p.B)
		return strings.Join(found, ", ")
	})
}

// count returns a counter of a port, by its name in the API.
func count(d *bed.Daemon, port, name string) (n uint64) {
	d.T.Helper()
	text, err := json.Marshal(d.Port(port))
	bed.Must(d.T, err)
	var all any
	bed.Must(d.T, json.Unmarshal(text, &all))
	var find func(v any, below bool)
	find = func(v any, below bool) {
		for key, value := range v.(map[string]any) {
			if number, ok := value.(float64); ok && key == name && below {
				n += uint64(number)
			}
			if inner, ok := value.(map[string]any); ok {
				find(inner, true)
			}
		}
	}
	find(all, false)
	return n
}

// send sends n probes of so many octets from the host of A at once. A frame that the host itself drops is not sent
// again.
func (p *patient) send(n, octets int) {
	p.t.Helper()
	for i := range n {
		if err := p.from.Once(bed.Probe(uint32(i), octets)); err != nil {
			p.t.Fatal(err)
		}
		if i%(n/30+1) == 0 {
			time.Sleep(time.Millisecond) // time for the kernel to hand them over
		}
	}
}

// sendWhile stops a daemon while the host of A sends n probes, and waits until the frames that are left have crossed.
func (p *patient) sendWhile(d *bed.Daemon, n, octets int) {
	p.t.Helper()
	d.Freeze()
	p.send(n, octets)
	d.Signal(syscall.SIGCONT)
	bed.AwaitCrossing(p.from, p.to, bed.Patience)
}

// applies applies a cure where it says: at an end, at both, or where the interface is that it names. A value with
// several interfaces of the wire stands for each of them.
func (p *patient) applies(c bed.Cure, port string, values map[string]string) {
	p.t.Helper()
	if way := values["WAY"]; strings.Contains(c.Text, "WAY") && strings.Contains(way, " ") {
		for name := range strings.FieldsSeq(way) {
			each := maps.Clone(values)
			each["WAY"] = name
			p.applies(c, port, each)
		}
		return
	}
	line, ends, at := c.Command(p.t, port, values), []*bed.Daemon{p.A}, (*netns.NS)(nil)
	switch words := strings.Fields(line); {
	case strings.Contains(c.Text, "of the partner"):
		ends = []*bed.Daemon{p.B}
	case strings.Contains(c.Text, "at both ends:") || strings.Contains(c.Text, "` at both ends"):
		ends = []*bed.Daemon{p.A, p.B}
	case strings.Contains(c.Text, "that receives"):
		at = p.top.HostB
	case slices.Contains(words, "eth0"):
		at = p.top.HostA
	case slices.Contains(words, "a") || slices.Contains(words, "b"):
		at = p.top.Wire
	}
	for _, d := range ends {
		if at == nil {
			p.types(d, line)
			continue
		}
		p.t.Logf("%s # %s\n%s", at.Name(), line, d.Shell(p.t, at, line))
	}
}

// dropped returns how many frames of a port of A are dropped, by a counter and in all.
func (p *patient) dropped(port, counter string) [2]uint64 {
	p.t.Helper()
	got := p.A.Port(port)
	return [2]uint64{count(p.A, port, counter), got.RxDropped + got.TxDropped}
}

// cured makes the trouble of a row, applies a cure, and demands that the same frames are not dropped any more. It
// returns the problem that the status has meanwhile.
func (p *patient) cured(row string, c *complaint, cure bed.Cure) (problem string) {
	p.t.Helper()
	before := count(p.A, c.port, row)
	bed.Eventually(p.t, "dropped frames", func() string {
		c.drop(p)
		if count(p.A, c.port, row) == before {
			return "there are none"
		}
		return ""
	})
	bed.Eventually(p.t, "a line of the status", func() string {
		_, problems := commands(p.A)
		i := slices.IndexFunc(problems, func(text string) bool {
			return strings.Contains(text, row) || strings.Contains(text, cmp.Or(c.says, row))
		})
		if i < 0 {
			return fmt.Sprintf("it says %q", problems)
		}
		problem = problems[i]
		return ""
	})
	p.applies(cure, c.port, c.values)
	if c.waits && strings.Contains(cure.Command(p.t, c.port, c.values), c.port) {
		p.followed()
	}
	bed.AwaitCrossing(p.from, p.to, bed.Patience)
	for range rounds {
		before := p.dropped(c.port, row)
		c.drop(p)
		time.Sleep(looks)
		if p.dropped(c.port, row) == before {
			return problem
		}
	}
	_, problems := commands(p.A)
	p.t.Errorf("frames are dropped as before: %q", problems)
	return problem
}

// The daemon looks at the kernel's counters each 250 ms, so that frames dropped before a cure may count after it:
// without a cure frames are dropped in each of several rounds, with it in none but the first.
const (
	looks  = 600 * time.Millisecond
	rounds = 3
)

// configure puts the configurations of a complaint in force at both ends, as they stand in the test.
func (p *patient) configure(c *complaint) {
	p.t.Helper()
	for d, s := range map[*bed.Daemon]bed.Configuration{p.A: c.a, p.B: c.b} {
		if s == nil {
			s = bed.Lossless.ByFrame()
		}
		d.Reload(s.Text(d.Socket))
	}
	p.Advance()
}

// Each cure of the rows of dropped frames, as docs/TROUBLESHOOTING.md has them and then as the status says, ends what
// it is a cure for: the frames are dropped before, and the same frames are not dropped with the cure.
func TestCuresOfDroppedFrames(t *testing.T) {
	t.Parallel()
	all := complaints()
	for _, row := range slices.Sorted(maps.Keys(all)) {
		cures := bed.Cures(t, row)
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			top := bed.Direct(t)
			if row == "rx_oversized" {
				top = bed.Bridged(t, bed.LinkMTU)
			}
			p := &patient{person: &person{t: t}, top: top}
			p.Pair = top.Daemons(bed.Lossless.ByFrame())
			p.from, p.to = bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			p.from.Room(64 << 20)
			bed.AwaitCrossing(p.from, p.to, bed.Patience)
			seen := map[string]bool{} // commands that were applied
			for i := 0; i < len(cures); i++ {
				of := &all[row][slices.IndexFunc(all[row], func(c complaint) bool { return strings.Contains(cures[i].Text, c.of) })]
				line := cures[i].Command(t, of.port, of.values)
				if seen[line] {
					continue
				}
				seen[line] = true
				ok := t.Run(cures[i].Text, func(t *testing.T) {
					p.t = t
					p.configure(of)
					if of.put != nil {
						of.put(p)
					}
					problem := p.cured(row, of, cures[i])
					cures = append(cures, bed.Advice(problem)...)
				})
				if p.t = t; !ok {
					return
				}
			}
		})
	}
}
