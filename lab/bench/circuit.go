package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"uelink/control"
	"uelink/internal/netns"
	"uelink/lab/bench/kernel"
	"uelink/wire"
)

// circuit is two forwarders between two hosts, where frames circulate:
//
//	 hostA          A                 wire                B          hostB
//	host0 ~ edge0 [  ] link0 ~ wireA [    ] wireB ~ link0 [  ] edge0 ~ host0
//
// A is on CPU 0 and B on CPU 1, with their halves of the wire and their hosts. Without a wire, the two link0 are one
// veth.
type circuit struct {
	hosts   [2]*netns.NS
	sides   [2]*netns.NS
	wire    *netns.NS
	devices []forwarder    // none if the hosts have only a wire between them
	loads   []*kernel.Load // of both hosts
	frames  int            // circulating
	stops   []func() error // stop other traffic of the hosts
}

// wired makes a circuit of two daemons with LLR. The caller still has to plug a cable in. The circuit is returned
// also with an error.
func (s *session) wired(name, profile string) (*circuit, error) {
	return s.wiredWith(name, reliable(profile))
}

// wiredWith makes a circuit as wired does, of daemons with a configuration.
func (s *session) wiredWith(name string, config daemonConfig) (*circuit, error) {
	c, err := newCircuit(name)
	if err != nil {
		return &circuit{}, err // the circuit has been closed
	}
	return c, c.start(s.daemons(config))
}

// newCircuit makes a circuit over a wire. After an error, everything is removed.
func newCircuit(name string) (*circuit, error) {
	c, err := newEnds(name)
	if err != nil {
		return c, err
	}
	if c.wire, err = netns.New(name + "-wire"); err == nil {
		err = errors.Join(
			netns.Veth(c.sides[0], "link0", c.wire, "wireA", edgeMTU+wire.Overhead),
			netns.Veth(c.sides[1], "link0", c.wire, "wireB", edgeMTU+wire.Overhead))
	}
	if err != nil {
		err = errors.Join(err, c.close())
	}
	return c, err
}

// newDirect makes a circuit whose link is a veth, without a wire.
func newDirect(name string) (*circuit, error) {
	c, err := newEnds(name)
	if err != nil {
		return c, err
	}
	if err = netns.Veth(c.sides[0], "link0", c.sides[1], "link0", edgeMTU+wire.Overhead); err != nil {
		return c, errors.Join(err, c.close())
	}
	return c, nil
}

// newEnds makes the namespaces of hosts and forwarders, and the edges.
func newEnds(name string) (c *circuit, err error) {
	c = &circuit{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	for i, side := range []string{"A", "B"} {
		if c.hosts[i], err = netns.New(name + "-host" + side); err != nil {
			return c, err
		}
		if c.sides[i], err = netns.New(name + "-" + side); err != nil {
			return c, err
		}
		if err = netns.Veth(c.hosts[i], "host0", c.sides[i], "edge0", edgeMTU); err != nil {
			return c, err
		}
	}
	return c, nil
}

// starter starts a forwarder between edges and links of a namespace.
type starter func(ns *netns.NS, cpu int) (forwarder, error)

// start starts both forwarders.
func (c *circuit) start(with starter) error {
	for cpu, ns := range c.sides {
		f, err := with(ns, cpu)
		if err != nil {
			return err
		}
		c.devices = append(c.devices, f)
	}
	return nil
}

// up waits until LLR is up in both directions. The forwarders are daemons.
func (c *circuit) up() error {
	for _, f := range c.devices {
		d := f.(*daemon)
		if err := d.await("LLR in both directions", func() bool {
			links, err := d.client.LLRInterfaces(context.Background())
			return err == nil && !slices.ContainsFunc(links, func(l control.LLRInterface) bool {
				return l.TxStatus.String() != "ADVANCE" || l.RxStatus.String() != "SEND_ACKS"
			})
		}); err != nil {
			return err
		}
	}
	return nil
}

// feed starts the circulation of frames.
func (c *circuit) feed(frames, octets int) error {
	c.frames = frames
	index, err := c.hosts[0].Ifindex("host0")
	if err != nil {
		return err
	}
	for i, host := range c.hosts {
		l, err := kernel.New(kernel.Config{Ifindex: index, Circulating: frames, Timed: i == 0})
		if err != nil {
			return err
		}
		c.loads = append(c.loads, l)
		if err := l.Reflect(host, "host0"); err != nil {
			return err
		}
	}
	return c.loads[0].Feed(c.hosts[0], loadCPU, kernel.Frame(octets), frames)
}

// settle starts the circulation and waits until frames arrive.
func (c *circuit) settle(frames, octets int) error {
	if err := c.feed(frames, octets); err != nil {
		return err
	}
	return c.moving()
}

// moving waits until frames circulate, and another warmUp.
func (c *circuit) moving() error {
	if err := warm(func() (uint64, error) { m, err := c.now(); return m.frames, err }); err != nil {
		return fmt.Errorf("frames do not go round: %w: %s", err, c.whereabouts())
	}
	return nil
}

// lap is the counters of a circuit at one moment, or the difference between two moments.
type lap struct {
	at     time.Time
	frames uint64 // that arrived at the hosts, both ways together
	wrong  uint64 // unexpected sequence number
	cpu    int64  // ns, of both forwarders
	rounds *kernel.Times
}

func (c *circuit) now() (m lap, err error) {
	m.at = time.Now()
	for _, l := range c.loads {
		counts, err := l.Counted()
		if err != nil {
			return m, err
		}
		m.frames, m.wrong = m.frames+counts.Frames, m.wrong+counts.Wrong
	}
	for _, f := range c.devices {
		cpu, err := f.cpuTime()
		if err != nil {
			return m, errors.Join(err, f.failed())
		}
		m.cpu += cpu
	}
	m.rounds, err = c.loads[0].Rounds()
	return m, err
}

// watch counts the frames that the circuit carries during a time, with the CPU time and the round trip times.
func (c *circuit) watch(over time.Duration) (window, error) {
	before, err := c.now()
	if err != nil {
		return window{}, err
	}
	time.Sleep(over)
	after, err := c.now()
	if err != nil {
		return window{}, err
	}
	after.rounds.Sub(before.rounds)
	did := stretch{frames: after.frames - before.frames, took: after.at.Sub(before.at), cpu: after.cpu - before.cpu}
	w := window{did, after.rounds}
	if w.frames == 0 {
		return w, fmt.Errorf("no frame arrived within %v: %s", over, c.whereabouts())
	}
	return w, nil
}

// window is the work of a circuit during a time: frames that arrived at the hosts, both ways together, and CPU time
// of both forwarders.
type window struct {
	stretch
	rounds *kernel.Times
}

// drain stops the circulation and returns an error unless every frame has arrived, in order.
func (c *circuit) drain() (err error) {
	defer func() {
		for _, l := range c.loads {
			err = errors.Join(err, l.Close())
		}
		c.loads = nil
	}()
	for _, l := range c.loads {
		if err := l.Absorb(); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if n, err := c.absorbed(); err != nil || n >= uint64(c.frames) {
			return errors.Join(err, c.inOrder())
		}
	}
	return fmt.Errorf("frames have been lost: %s", c.whereabouts())
}

func (c *circuit) absorbed() (sum uint64, err error) {
	for _, l := range c.loads {
		n, err := l.Absorbed()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (c *circuit) inOrder() error {
	m, err := c.now()
	if err == nil && m.wrong > 0 {
		err = fmt.Errorf("%d frames came out of order or twice", m.wrong)
	}
	return err
}

// whereabouts returns the counters as text, for error messages.
func (c *circuit) whereabouts() string {
	m, err := c.now()
	n, problem := c.absorbed()
	return fmt.Sprintf("%d of %d have come to rest, %d arrived in all, %d out of order (%v)",
		n, c.frames, m.frames, m.wrong, errors.Join(err, problem))
}

// freeze stops both forwarders (SIGSTOP); thaw continues them.
func (c *circuit) freeze() {
	for _, f := range c.devices {
		f.freeze()
	}
}

func (c *circuit) thaw() {
	for _, f := range c.devices {
		f.thaw()
	}
}

func (c *circuit) close() error {
	var problems []error
	for _, stop := range c.stops {
		problems = append(problems, stop())
	}
	for _, l := range c.loads {
		problems = append(problems, l.Close())
	}
	for _, f := range c.devices {
		f.thaw()
		problems = append(problems, f.stop())
	}
	for _, ns := range append(append(c.hosts[:], c.sides[:]...), c.wire) {
		if ns != nil {
			problems = append(problems, ns.Close())
		}
	}
	return errors.Join(problems...)
}
