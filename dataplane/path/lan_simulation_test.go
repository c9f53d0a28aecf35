package path

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
)

// TestLAN carries frames between hosts at bridges that are joined by bad wires, while things
// happen to them. Every frame comes to each host that it is for exactly once, in order and
// whole, or is in a counter; chunks, slots, queue entries and accounts are conserved at every
// step; and all is over within a bound once the wires are good.
func TestLAN(t *testing.T) { manySeeds(t, "TestLAN", simulateLAN) }

// lanKinds are what happens: one for each seed.
var lanKinds = []string{"calm", "held", "detached", "flood", "link lost", "carrier", "leaves"}

// lanTrouble is what happens in a simulated LAN.
type lanTrouble struct {
	*lan
	kind   string
	victim *lanHost
	former []*Port // ports that have left their bridge
}

// window is how many frames are under way at most, but for those to the victim and those of
// a flood: less than what a queue that stands still leaves of an ingress's chunks.
const window = lanRing / (2 * (1 + shareOfRoom))

func simulateLAN(seed, frames uint64) error {
	r := rand.New(rand.NewPCG(seed, 5))
	o := simOptions(r)
	o.profile.MaxOutstandingFrames = max(16, o.profile.MaxOutstandingFrames)
	o.wire.Seed = seed
	if r.IntN(2) == 0 {
		credits(&o, 4, 1<<1|1<<3, uint16(6+r.IntN(20)))
	}
	s := bridge.Settings{
		Ageing: []time.Duration{0, time.Second}[r.IntN(2)], VLANFiltering: r.IntN(2) == 0, MaxEntries: 4 + r.IntN(60),
	}
	kind := lanKinds[seed%uint64(len(lanKinds))]
	if kind == "flood" {
		for vc := range 4 {
			o.ports.QueueOctets[vc] = r.IntN(3) * (200 + r.IntN(1000))
		}
	}
	n := &lanTrouble{lan: newLAN(r, 1+r.IntN(3), 2+r.IntN(3), o, s), kind: kind}
	n.renewal.r = rand.New(rand.NewPCG(seed, 6))
	n.victim = n.hosts[r.IntN(len(n.hosts))]
	// A burst of losses may be longer than the some ten frames of the handshake. Then an end speaks once a second.
	err := n.until("LLR up", 2*time.Minute, n.established)
	if err == nil {
		err = n.traffic(int(frames))
	}
	if err == nil {
		err = n.end()
	}
	if err != nil {
		return fmt.Errorf("%s: %d bridges, %d hosts, VLANs %v: %w",
			n.kind, len(n.domains), len(n.hosts), s.VLANFiltering, err)
	}
	return nil
}

// traffic has the hosts send so many frames in all, with a window, while things happen.
func (n *lanTrouble) traffic(frames int) error {
	begun, stop := false, n.now.Add(3*time.Second)
	for sent := 0; sent < frames && n.now < stop; {
		for range 1 + n.r.IntN(8) {
			if n.sendOne() {
				sent++
			}
		}
		if !begun && sent > frames/4 {
			begun = true
			if err := n.round(); err != nil { // what hosts have sent is taken in
				return err
			}
			n.begin()
		}
		if begun && sent > frames/2 && n.r.IntN(100) == 0 {
			n.mend()
		}
		if err := n.round(); err != nil {
			return err
		}
	}
	n.mend()
	return nil
}

// owed is how many frames are under way, but for those to the victim of something.
func (n *lanTrouble) owed() (frames int) {
	for _, h := range n.hosts {
		if h != n.victim || n.kind == "calm" {
			frames += h.waits()
		}
	}
	return frames
}

// sendOne has a host send a frame, if few are under way.
func (n *lanTrouble) sendOne() bool {
	h, to := n.hosts[n.r.IntN(len(n.hosts))], n.hosts[n.r.IntN(len(n.hosts))]
	if h == to || n.r.IntN(10) == 0 {
		to = nil
	}
	if n.kind != "flood" || n.r.IntN(2) == 0 {
		if n.owed() > window {
			return false
		}
	} else {
		to = nil
	}
	return n.send(h, to)
}

// begin has it happen.
func (n *lanTrouble) begin() {
	v := n.victim
	switch n.kind {
	case "held":
		v.stopper.hold = true
	case "detached":
		v.domain.Detach(v.edge, n.now)
		v.device.SetGone()
	case "carrier":
		v.domain.SetUp(v.edge, false, n.now)
	case "leaves":
		v.domain.Detach(v.edge, n.now)
		v.domain.Remove(v.edge)
		v.domain.Bridge.RemovePort(v.edge.Number)
		v.device.SetGone()
		n.former = append(n.former, v.edge)
		v.edge = nil
	case "link lost":
		for _, p := range v.domain.links {
			l := p.Link
			l.LLR.Tx.Reinit(n.now)
			l.Free()
		}
	}
}

// mend ends it.
func (n *lanTrouble) mend() {
	v := n.victim
	v.stopper.hold = false
	if v.edge == nil {
		n.plug(v)
	}
	if !v.edge.Attached() {
		v.attach(n.lan)
	}
	if !v.edge.iface.up {
		v.domain.SetUp(v.edge, true, n.now)
	}
}

// end has the wires good, waits until all has come that is to come and all credits are back, and
// counts.
func (n *lanTrouble) end() error {
	for _, w := range n.wires {
		w.SetConfig(fault.Config{})
	}
	rest := func() bool {
		for _, d := range n.domains {
			if d.Held() > 0 {
				return false
			}
			for _, l := range d.links {
				if !l.Link.cbfc.Quiet() {
					return false
				}
			}
		}
		return true
	}
	if err := n.until("rest", 10*time.Second, rest); err != nil {
		return err
	}
	for range 8 { // what the hosts have not taken yet
		if err := n.round(); err != nil {
			return err
		}
	}
	return n.count()
}

// count compares what is missing with what was counted.
func (n *lanTrouble) count() error {
	var counted, missing, extra uint64
	ports := n.former
	for _, d := range n.domains {
		ports = append(ports, d.Edges...)
		for _, p := range d.links {
			l := p.Link
			ports = append(ports, p)
			counted += l.LLR.Counters().TxFlushedFrames + l.LLR.Counters().TxDiscard
		}
	}
	for _, p := range ports {
		c := &p.Counters
		if c.RxDropLossless > 0 {
			return fmt.Errorf("port %s dropped %d frames that had credits", p.settings.Name, c.RxDropLossless)
		}
		counted += c.TxDropDown + c.TxDropQueueFull + c.RxDropNoBuffer + c.RxDropDetached
	}
	for _, h := range n.hosts {
		lost := uint64(h.missing + h.waits())
		if missing += lost; h != n.victim {
			extra += lost
		}
	}
	switch {
	case n.kind == "calm" && missing+counted > 0, n.kind != "flood" && n.kind != "link lost" && extra > 0:
		return fmt.Errorf("%d frames are missing, %d of them at others than host %d; %d were counted",
			missing, extra, n.victim.number, counted)
	case missing > 0 && counted == 0 && n.kind != "leaves": // frames to a host whose port is not there
		return fmt.Errorf("%d frames are missing, and nothing was counted", missing)
	}
	return nil
}
