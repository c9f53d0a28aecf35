package chaos

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/table"
	"uelink/lab/e2e/bed"
)

var (
	chaosFor    = flag.Duration("chaos.for", 0, "how long TestChaosLosesNothing goes on; 0 = each fault once, a moment")
	chaosReplay = flag.String("chaos.replay", "go_back_n", "replay of the daemons: go_back_n, auto, selective")
	chaosSeed   = flag.Uint64("chaos.seed", 1, "what the faults of TestChaosLosesNothing are drawn from")
)

// enduring returns a link that never gives up a frame: no number of replays ends in FLUSH. keys are further keys of its
// LLR profile.
func enduring(keys ...string) bed.Settings {
	profile := []string{"max_replay_count: 255, hold_timeout: 60s, init_action: block, flush_action: block"}
	if !slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, "replay:") }) {
		profile = append(profile, "replay: "+*chaosReplay)
	}
	return bed.Settings{Profile: strings.Join(append(profile, keys...), ", ")}
}

// lightlyBad is what the wire does both ways during half of the faults that are not its own.
var lightlyBad = wireFaults{lose: 0.05, corrupt: 0.01, double: 0.02, reorder: 0.02}

// settling is how long the frames of a phase may take after its fault is over.
const settling = 60 * time.Second

// chaos is a pair of daemons, a wire between them, hosts beside them, and the faults applied to them.
type chaos struct {
	t       testing.TB
	r       *rand.Rand
	top     *bed.Topology
	pair    bed.Pair
	wire    *chaoticWire
	flows   [2]*chaosFlow
	missed  [2]func() uint64 // counts the frames that hosts of A and B have sent while no daemon took them
	longest time.Duration    // of a fault

	phases, kills int
	tables        table.Table
}

// fault is a kind of fault. It draws the particulars, has the fault come and go, and returns its description.
type fault struct {
	name string
	run  func(c *chaos, p *phase) (name string)
}

// phase is the time of one fault, with the frames that it may lose.
type phase struct {
	began  time.Time
	before account
	may    [2]uint64   // most frames of each flow lost by the fault, besides counted drops
	ended  *bed.Daemon // that was stopped or killed and started again; nil = none was

	counted bool // what is lost has to be among the counted drops
}

// account is the counts of a moment.
type account struct {
	sent, lost, wrong [2]uint64 // of each flow
	dropped           [2]uint64 // by the daemons A and B, of what LLR does not bring again
	unconfirmed       [2]uint64 // of A and B: what a partner that was killed had taken, and not acknowledged
}

// faults are those that chaos draws from.
var faults = []fault{
	{"loss", func(c *chaos, p *phase) string { return c.badWire(wireFaults{lose: 0.3}) }},
	{"damage", func(c *chaos, p *phase) string { return c.badWire(wireFaults{corrupt: 0.2}) }},
	{"doubles", func(c *chaos, p *phase) string { return c.badWire(wireFaults{double: 0.3}) }},
	{"order", func(c *chaos, p *phase) string { return c.badWire(wireFaults{reorder: 0.3}) }},
	{"all of these", func(c *chaos, p *phase) string { return c.badWire(wireFaults{0.1, 0.05, 0.1, 0.1}) }},
	{"blackout", (*chaos).blackout},
	{"SIGSTOP", (*chaos).stop},
	{"flap", (*chaos).flap},
	{"starved", (*chaos).starve},
	{"SIGTERM", (*chaos).restart},
	{"kill -9", (*chaos).kill},
	{"reload", (*chaos).reload},
	{"reload", (*chaos).reload},
}

// Both directions of the wire are bad in turn, the wire goes dark, daemons are stopped, starved, killed and reloaded
// with every key, links go down and up. The edge of A pushes back, B has made its edge. Every frame of the hosts
// arrives once, in order and undamaged, except for frames lost with a daemon: those that its host sends while it is
// down; those under way when it is killed, of which its partner counts the accepted ones; and counted drops.
func TestChaosLosesNothing(t *testing.T) {
	c := newChaos(t, *chaosSeed)
	for end := time.Now().Add(*chaosFor); c.phases == 0 || time.Now().Before(end); {
		for _, i := range c.r.Perm(len(faults)) {
			c.phase(faults[i])
			if t.Failed() || *chaosFor > 0 && time.Now().After(end) {
				break
			}
		}
		if t.Failed() {
			break
		}
	}
	c.report()
}

// edges are the kinds of the edges of A and B, as additions to settings: a veth that pushes back unless the settings
// have a push_back of their own, and a veth that the daemon creates.
var edges = [2]func(bed.Settings) bed.Settings{
	func(s bed.Settings) bed.Settings {
		if !strings.Contains(s.Edge, "push_back") {
			s.Edge = "push_back: on" + bed.AppendKeys(s.Edge)
		}
		return s
	},
	func(s bed.Settings) bed.Settings { return bed.CreatedEdge(s, bed.AddressB) },
}

func newChaos(t *testing.T, seed uint64) *chaos {
	t.Logf("seed %d: -chaos.seed %d -chaos.for %v -chaos.replay %s", seed, seed, *chaosFor, *chaosReplay)
	top := bed.Cabled(t)
	c := &chaos{t: t, r: rand.New(rand.NewPCG(seed, 28)), top: top, wire: newChaoticWire(top, t, seed)}
	c.longest = min(max(*chaosFor/30, 300*time.Millisecond), 10*time.Second)
	c.tables.Titles = []string{">phase", "fault", ">seconds", ">sent A to B", ">lost", ">may", ">sent B to A", ">lost",
		">may", "dropped A, B", "particulars"}
	bed.Must(t, top.B.DeleteLink("edge0")) // B makes an edge of its own
	c.pair.A = bed.NewDaemon(t, top.A, "A", edges[0](enduring()))
	c.pair.B = bed.NewDaemon(t, top.B, "B", edges[1](enduring()))
	c.pair.Start()
	hostA, hostB := bed.NewTalkerAt(t, top.HostA, "eth0", 1), bed.NewTalkerAt(t, top.B, "uelink0", 2)
	c.flows[0], c.flows[1] = chaosFlows(t, hostA, hostB)
	unseen := countUnseen(t, top.A)
	c.missed = [2]func() uint64{unseen.frames.Load, func() uint64 { return uint64(c.flows[1].Sent.Load()) }}
	c.settle()
	return c
}

// settle waits until all that was sent so far has come or is lost.
func (c *chaos) settle() {
	c.t.Helper()
	for _, f := range c.flows {
		f.settle(settling)
	}
}

// duration draws how long a fault lasts, up to some bound.
func (c *chaos) duration(bound time.Duration) time.Duration {
	const least = 100 * time.Millisecond
	return least + time.Duration(c.r.Int64N(int64(min(bound, c.longest)-least)+1))
}

// ends draws which of the two directions, or ends, a fault is about: one of them or both.
func (c *chaos) ends() (which [2]bool) {
	n := 1 + c.r.IntN(3)
	return [2]bool{n&1 != 0, n&2 != 0}
}

// end draws a daemon.
func (c *chaos) end() (i int, d *bed.Daemon) {
	i = c.r.IntN(2)
	return i, []*bed.Daemon{c.pair.A, c.pair.B}[i]
}

// badWire makes one direction or both bad for a while: each chance is drawn up to a bound.
func (c *chaos) badWire(most wireFaults) string {
	var faults [2]wireFaults
	for i, got := range c.ends() {
		if got {
			faults[i] = wireFaults{c.r.Float64() * most.lose, c.r.Float64() * most.corrupt, c.r.Float64() * most.double,
				c.r.Float64() * most.reorder}
		}
	}
	c.wire.set(faults)
	time.Sleep(c.duration(10 * time.Second))
	return fmt.Sprintf("A to B %.2f, B to A %.2f (lost, damaged, doubled, reordered)", faults[0], faults[1])
}

// blackout has nothing cross in one direction or both.
func (c *chaos) blackout(*phase) string {
	var faults [2]wireFaults
	dark, d := c.ends(), c.duration(10*time.Second)
	for i := range dark {
		if dark[i] {
			faults[i].lose = 1
		}
	}
	c.wire.set(faults)
	time.Sleep(d)
	return fmt.Sprintf("A to B dark %v, B to A dark %v, for %v", dark[0], dark[1], d.Round(time.Millisecond))
}

// stop stops a daemon by SIGSTOP for a while.
func (c *chaos) stop(*phase) string {
	_, d := c.end()
	took := c.duration(3 * time.Second)
	d.Freeze()
	time.Sleep(took)
	d.Signal(syscall.SIGCONT)
	return fmt.Sprintf("%s for %v", d.Name, took.Round(time.Millisecond))
}

// flap takes the link of an end down and up again.
func (c *chaos) flap(*phase) string {
	_, d := c.end()
	took := c.duration(2 * time.Second)
	bed.Must(c.t, d.NS.SetLink("link0", false))
	time.Sleep(took)
	bed.Must(c.t, d.NS.SetLink("link0", true))
	return fmt.Sprintf("link0 of %s for %v", d.Name, took.Round(time.Millisecond))
}

// starve has other processes take the CPU: three for each.
func (c *chaos) starve(*phase) string {
	var hungry []*bed.Process
	for range 3 * runtime.NumCPU() {
		loop := exec.Command("sh", "-c", "while :; do :; done")
		hungry = append(hungry, bed.Start(c.t, c.top.Wire, "a hungry process", loop))
	}
	took := c.duration(10 * time.Second)
	time.Sleep(took)
	for _, p := range hungry {
		p.Kill()
	}
	return fmt.Sprintf("%d processes for %v", len(hungry), took.Round(time.Millisecond))
}

// restart stops a daemon by SIGTERM and starts it again. The daemon delivers the frames it has taken. From the signal
// on it takes no frames from its host: they stay in the ring of its edge, and nobody counts them.
func (c *chaos) restart(p *phase) string {
	i, d := c.end()
	return c.again(p, i, d, func() {
		before := c.flows[i].Sent.Load()
		if code := d.Terminate(); code != 0 {
			c.t.Errorf("%s: exit %d", d.Name, code)
		}
		d.HasNoXDP()
		p.may[i] = uint64(c.flows[i].Sent.Load() - before)
	})
}

// kill kills a daemon and starts it again. The frames it had taken from its host are lost.
func (c *chaos) kill(p *phase) string {
	i, d := c.end()
	c.kills++
	return c.again(p, i, d, func() {
		d.Kill()
		d.HasNoXDP()
		p.may[i] = c.flows[i].onTheWay()
	})
}

// again has a daemon end and starts it again, at once or after a while. What its host sends meanwhile nobody takes.
func (c *chaos) again(p *phase, i int, d *bed.Daemon, end func()) string {
	p.ended = d
	before := c.missed[i]()
	end()
	took := time.Duration(0)
	if c.r.IntN(2) == 0 {
		took = c.duration(time.Second)
	}
	time.Sleep(took)
	d.Start()
	meanwhile := c.missed[i]() - before
	p.may[i] += meanwhile
	return fmt.Sprintf("%s, started again after %v; %d frames came meanwhile", d.Name, took.Round(time.Millisecond),
		meanwhile)
}

// phase has a fault come and go, over a good wire or one that is lightly bad, and judges what was lost by it.
func (c *chaos) phase(f fault) {
	p := &phase{began: time.Now(), before: c.account()}
	if c.r.IntN(2) == 0 {
		c.wire.set([2]wireFaults{lightlyBad, lightlyBad})
	}
	name := f.run(c, p)
	c.wire.set([2]wireFaults{})
	c.settle()
	c.pair.Advance()
	c.phases++
	c.judge(p, f.name, name)
}

// account takes the counts of the moment.
func (c *chaos) account() (a account) {
	for i, f := range c.flows {
		a.sent[i], a.lost[i], a.wrong[i] = uint64(f.Sent.Load()), f.lost.Load(), f.wrong.Load()
	}
	for i, d := range []*bed.Daemon{c.pair.A, c.pair.B} {
		edge, link := d.Edge(), d.Link()
		a.dropped[i] = edge.RxDropped + edge.TxDropped + link.TxDropped + link.Counters.RxDropNoBuffer
		a.unconfirmed[i] = link.LLR.Counters.TxUnconfirmed
	}
	return a
}

// judge compares the losses of a phase with the allowed ones, and adds its row to the table.
func (c *chaos) judge(p *phase, name, what string) {
	c.t.Helper()
	now := c.account()
	for i, d := range []*bed.Daemon{c.pair.A, c.pair.B} {
		if d == p.ended { // it counts from its start on
			p.before.dropped[i], p.before.unconfirmed[i] = 0, 0
		}
	}
	dropped := [2]uint64{now.dropped[0] - p.before.dropped[0], now.dropped[1] - p.before.dropped[1]}
	row := []string{fmt.Sprint(c.phases), name, fmt.Sprintf("%.1f", time.Since(p.began).Seconds())}
	for i, f := range c.flows {
		lost, may := now.lost[i]-p.before.lost[i], p.may[i]
		if p.ended != nil || p.counted {
			may += dropped[0] + dropped[1] + now.unconfirmed[i] - p.before.unconfirmed[i]
		}
		row = append(row, fmt.Sprint(now.sent[i]-p.before.sent[i]), fmt.Sprint(lost), fmt.Sprint(may))
		if lost > may {
			c.t.Errorf("phase %d, %s (%s): %d frames from %s lost, where %d may be; dropped by A %d, by B %d", c.phases,
				name, what, lost, f.name, may, dropped[0], dropped[1])
		}
		if now.wrong[i] > p.before.wrong[i] {
			c.t.Errorf("phase %d, %s (%s): %d frames from %s came twice, late or damaged; the first: %s", c.phases, name,
				what, now.wrong[i]-p.before.wrong[i], f.name, f.description())
		}
	}
	row = append(row, fmt.Sprintf("%d, %d", dropped[0], dropped[1]), what)
	c.tables.Add(row...)
	if *chaosFor > 0 {
		fmt.Fprintln(os.Stderr, strings.Join(row, " | "))
	}
}

// report shows the table and the sums.
func (c *chaos) report() {
	var text strings.Builder
	bed.Must(c.t, c.tables.Write(&text))
	c.t.Logf("%d phases, %d kills\n%s", c.phases, c.kills, text.String())
	for i, f := range c.flows {
		c.t.Logf("%s: sent %d, lost %d, twice, late or damaged %d; the wire: %s", f.name, f.Sent.Load(), f.lost.Load(),
			f.wrong.Load(), c.wire.ways[i].counts.String())
	}
}
