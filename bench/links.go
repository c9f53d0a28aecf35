package main

import (
	"errors"
	"fmt"
)

// linksOctets is the length of the frames that many links carry.
const linksOctets = 64

// linkCounts is how many links one daemon has.
func linkCounts() []int { return []int{1, 8, 32} }

// What the links do: LLR towards the partner, or nothing, which shows what many
// ports cost whatever is done with their frames. testpmd does nothing more either.
const (
	linksTx      = "uelink link Tx"
	linksOff     = "uelink, LLR off"
	linksTestpmd = "testpmd"
)

// defaultSpin is for how long a daemon polls. One that is saturated never sleeps.
const defaultSpin = "50us"

// saturated is all that the generator can make.
func saturated() offer { return offer{burst: 64} }

// linkOffers is what comes to all links together.
func linkOffers() []offer { return []offer{{pps: 200_000, burst: 1}, {pps: 200_000, burst: 64}} }

// linkWindows is how many short windows a round has instead of a long one: so the
// forwarders are compared within a time in which the machine changes little.
const linkWindows = 2

// links measures what a frame costs when one core has many links.
func (s *session) links() error {
	t := s.linksTable()
	for _, spin := range []string{defaultSpin, "0s"} {
		s.progress("  spin %s", spin)
		offers := linkOffers()
		if spin == defaultSpin {
			offers = append(offers, saturated())
		}
		var lanes []*lane
		for _, name := range []string{linksTx, linksOff} {
			for _, n := range linkCounts() {
				lanes = append(lanes, &lane{oneWay: oneWay{name: name, links: n, start: s.linksDaemon(name, n, spin)}})
			}
		}
		if err := s.linksOf(&t, lanes, spin, offers...); err != nil {
			return fmt.Errorf("spin %s: %w", spin, err)
		}
	}
	s.progress("  %s", linksTestpmd)
	var lanes []*lane
	for _, n := range []int{1, 8, mostPorts / 2} {
		lanes = append(lanes, &lane{oneWay: oneWay{name: linksTestpmd, links: n, start: s.linksOfTestpmd(n)}})
	}
	if err := s.linksOf(&t, lanes, "always", saturated()); err != nil {
		return fmt.Errorf("%s: %w", linksTestpmd, err)
	}
	s.report.Tables = append(s.report.Tables, t)
	return nil
}

func (s *session) linksTable() Table {
	return Table{
		Name: "links", Title: "Many links, one core",
		Columns: columns("load of all links together", "%s", "forwarder", "%s", "spin", "%s", "links", "%d", "Mpps", "%.3f", "CPU ns per frame", "%.0f", "ratio to 1 link", "%.2f", "quartiles", "%s", "resident MB", "%.0f", "allocations per frame", "%.2f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v, the forwarders in turns, the others frozen; the ratio is the median of the ratios of windows next to each other, to 1 link with the same. Frames of %d octets from edge to link, with LLR (link Tx) or as they are (LLR off): what many ports cost a forwarder that does nothing more; the generator turns to the next link with each burst, and the partner of each link with LLR acknowledges every burst, a long one every %d frames.", linkWindows*s.rounds, s.over/linkWindows, linksOctets, ackEvery),
			fmt.Sprintf("CPU ns of the forwarder for a frame that came to the far end, with its polling: for 50 µs after its last work (`spin`, the default), or none; one that is saturated does not sleep. CPU %d is the forwarder's and pays for the kernel's copy and skb of each frame and for the XDP program of the partner; CPU %d has the generator and pays for its frames, for XDP on the edges and for the copy into the forwarder's chunks.", deviceCPU, loadCPU),
			fmt.Sprintf("testpmd polls all the time, so that only its saturated figures say what a frame costs it; DPDK has no more than %d ports.", mostPorts),
			"Resident memory is the daemon's VmRSS, its frame buffers included. Allocations are those of `go_memstats_mallocs_total` less what reading it costs.",
		},
	}
}

// linksOf measures forwarders with each of the offers.
func (s *session) linksOf(t *Table, lanes []*lane, spin string, offers ...offer) (err error) {
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.close())
		}
	}()
	for _, l := range lanes {
		if err := l.open(s.newDir()); err != nil {
			return fmt.Errorf("%s, %d links: %w", l.name, l.links, err)
		}
		l.forwarder.freeze()
	}
	for _, o := range offers {
		s.progress("    %s", o)
		if err := s.offered(t, lanes, spin, o); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
	}
	return nil
}

func (s *session) linksOfTestpmd(n int) func(*bed, string) (forwarder, error) {
	return func(b *bed, _ string) (forwarder, error) {
		return s.testpmd.start(b.device, deviceCPU, defaultMbuf, ports(n)...)
	}
}

func (s *session) linksDaemon(name string, n int, spin string) func(*bed, string) (forwarder, error) {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{
			llr: fmt.Sprintf("local: false, remote: %t", name == linksTx), profile: patient, links: n,
			top: fmt.Sprintf("spin: %s\nmetrics: {listen: %q}", spin, metricsAddress),
		})
	}
}

// offered measures all lanes with one load.
func (s *session) offered(t *Table, lanes []*lane, spin string, o offer) (err error) {
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.unload())
		}
	}()
	tolls := make([]toll, len(lanes))
	for i, l := range lanes {
		if err := l.spread(&tolls[i], o); err != nil {
			return err
		}
	}
	for range linkWindows * s.rounds {
		for i, l := range lanes {
			w, err := l.round(s.over / linkWindows)
			if err = errors.Join(s.Err(), err); err != nil {
				return err
			}
			tolls[i].pps, tolls[i].cpu = append(tolls[i].pps, w.pps()), append(tolls[i].cpu, w.perFrame())
		}
	}
	var one toll
	for i, l := range lanes {
		if l.links == 1 {
			one = tolls[i]
		}
		memory, perFrame, err := l.memory(tolls[i].idle)
		if err != nil {
			return err
		}
		r := ratios(tolls[i].cpu, one.cpu)
		t.add(o.String(), l.name, spin, l.links, median(tolls[i].pps)/1e6, median(tolls[i].cpu), median(r), quartiles(r), memory, perFrame)
	}
	return nil
}

// toll is what frames cost in each round.
type toll struct {
	pps, cpu []float64
	idle     [2]float64 // objects allocated before the first frame, read twice: the second reading has what the first one cost
}

// spread makes the load of an offer.
func (l *lane) spread(t *toll, o offer) (err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	far := l.bed.sink
	if l.name == linksTx {
		far = l.bed.receiver(l.forwarder.(*daemon))
	}
	if l.load, err = l.bed.spread(far, l.links, o, linksOctets, min(ackEvery, o.burst)); err != nil {
		return err
	}
	if _, ok := l.forwarder.(*daemon); !ok {
		return nil
	}
	for i := range t.idle {
		if t.idle[i], err = mallocs(l.bed.device); err != nil {
			return err
		}
	}
	return nil
}

// memory is what a daemon has resident, in MB, and the objects that it has
// allocated since idle for each frame; nil of another forwarder.
func (l *lane) memory(idle [2]float64) (megabytes, perFrame any, err error) {
	d, ok := l.forwarder.(*daemon)
	if !ok {
		return nil, nil, nil
	}
	d.thaw()
	defer d.freeze()
	octets, err := resident(d.cmd.Process.Pid)
	if err != nil {
		return nil, nil, err
	}
	objects, err := mallocs(l.bed.device)
	if err != nil {
		return nil, nil, err
	}
	frames, err := l.load.far.counted()
	return float64(octets) / 1e6, max(0, objects-idle[1]-(idle[1]-idle[0])) / float64(frames.Frames), err
}
