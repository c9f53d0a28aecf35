package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"uelink/control/api"
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
	devices []forwarder    // forwarders A and B; none if the hosts have only a wire between them
	loads   []*kernel.Load // of both hosts
	frames  int            // how many frames circulate
	stops   []func() error // functions that stop other traffic of the hosts
}

// wired starts two daemons with LLR both ways, each with a host behind it, and joins their links by a wire that
// carries nothing yet: the caller has to plug a cable in. profile is the text of the LLR profile. Close the
// returned circuit also after an error.
func (s *session) wired(name, profile string) (*circuit, error) {
	return s.wiredWith(name, reliable(profile))
}

// wiredWith starts two daemons as wired does, with the given configuration.
func (s *session) wiredWith(name string, config daemonConfig) (*circuit, error) {
	c, err := newCircuit(name)
	if err != nil {
		return &circuit{}, err // the circuit has been closed
	}
	return c, c.start(s.daemons(config))
}

// newCircuit makes the namespaces of two hosts, of two forwarders and of the wire between the forwarders, and the
// veths that join them. It starts no forwarder. After an error, everything is removed.
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

// newDirect makes the namespaces of two hosts and of two forwarders whose links are the ends of one veth, without
// a wire in between. It starts no forwarder. After an error, everything is removed.
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

// newEnds makes the namespaces of two hosts and of two forwarders, and a veth from each host to the edge of its
// forwarder. There is no link between the forwarders yet.
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

// starter starts a forwarder on a CPU, between the edges and links of a namespace.
type starter func(ns *netns.NS, cpu int) (forwarder, error)

// start starts both forwarders, A on CPU 0 and B on CPU 1, each by a call of launch.
func (c *circuit) start(launch starter) error {
	for cpu, ns := range c.sides {
		f, err := launch(ns, cpu)
		if err != nil {
			return err
		}
		c.devices = append(c.devices, f)
	}
	return nil
}

// up waits until both daemons report that LLR is up in both directions. Both forwarders must be daemons.
func (c *circuit) up() error {
	for _, f := range c.devices {
		d := f.(*daemon)
		if err := d.await("LLR in both directions", func() bool {
			links, err := d.client.LLRInterfaces(context.Background())
			return err == nil && !slices.ContainsFunc(links, func(l api.LLRInterface) bool {
				return l.TxStatus.String() != "ADVANCE" || l.RxStatus.String() != "SEND_ACKS"
			})
		}); err != nil {
			return err
		}
	}
	return nil
}

// feed makes each host send back every frame that arrives, and puts the given number of frames of a length in
// octets into the circuit, so that they circulate from host to host. Host A measures their round trip times.
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

// settle starts the circulation of frames as feed does, and waits until frames arrive.
func (c *circuit) settle(frames, octets int) error {
	if err := c.feed(frames, octets); err != nil {
		return err
	}
	return c.moving()
}

// moving waits until circulating frames arrive at the hosts, and then for the length warmUp. It returns an error
// if no frame arrives within 10 s.
func (c *circuit) moving() error {
	if err := warm(func() (uint64, error) { m, err := c.now(); return m.frames, err }); err != nil {
		return fmt.Errorf("frames do not circulate: %w: %s", err, c.whereabouts())
	}
	return nil
}

// lap is the counters of a circuit at one moment, or the difference between two moments.
type lap struct {
	at     time.Time
	frames uint64        // frames that have arrived at the hosts, both ways together
	wrong  uint64        // frames with an unexpected sequence number
	cpu    int64         // CPU time of both forwarders, ns
	rounds *kernel.Times // round trip times, measured by host A
}

// now reads the time, the counters of the hosts' loads, the CPU time of the forwarders and the round trip times that
// host A has measured so far.
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

// watch sleeps for a time and returns the work done meanwhile: frames that arrived at the hosts, the CPU time of
// both forwarders, and the round trip times of frames. It is an error if no frame arrived.
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
	rounds *kernel.Times // round trip times of the frames
}

// drain makes the hosts keep the frames that arrive, waits until the hosts have kept every circulating frame, and
// removes the hosts' programs. It returns an error if a frame is lost, or came out of order or twice.
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

// absorbed returns how many frames the loads have absorbed.
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

// inOrder returns an error if a frame has arrived at a host out of order or twice.
func (c *circuit) inOrder() error {
	m, err := c.now()
	if err == nil && m.wrong > 0 {
		err = fmt.Errorf("%d frames came out of order or twice", m.wrong)
	}
	return err
}

// whereabouts returns, as text for error messages, how many of the circulating frames the hosts have kept, how
// many have arrived in all, and how many out of order.
func (c *circuit) whereabouts() string {
	m, err := c.now()
	n, problem := c.absorbed()
	return fmt.Sprintf("the hosts have kept %d of %d circulating frames, %d frames arrived in all, %d out of order (%v)",
		n, c.frames, m.frames, m.wrong, errors.Join(err, problem))
}

// freeze stops the processes of both forwarders (SIGSTOP) until thaw continues them.
func (c *circuit) freeze() {
	for _, f := range c.devices {
		f.freeze()
	}
}

// thaw continues the processes of both forwarders (SIGCONT).
func (c *circuit) thaw() {
	for _, f := range c.devices {
		f.thaw()
	}
}

// close stops sources, loads and forwarders, and then closes the namespaces that they are in.
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
