package cable

import (
	"context"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/fault"
)

// kernelWire is a wire within the kernel.
type kernelWire struct{ ways [2]*kernelWay }

// kernelWay is one direction: the program on the interface where the frames arrive.
type kernelWay struct {
	objects struct {
		Program  *ebpf.Program `ebpf:"uelink_cable"`
		Wires    *ebpf.Map     `ebpf:"wires"`
		OtherEnd *ebpf.Map     `ebpf:"other_end"`
	}
	sent sentCounter
}

func openKernel(ends *[2]end, c fault.Config) (medium, error) {
	w := &kernelWire{}
	for i := range ends {
		from, to, way := &ends[i], ends[1-i], &kernelWay{}
		w.ways[i] = way
		err := from.attach(func() (*ebpf.Program, *ebpf.Map, error) {
			err := way.load(to, c, fault.Stream(c.Seed, i))
			return way.objects.Program, nil, err
		}, nil)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

// load loads the XDP program of one direction with the faults c, redirecting to the interface to. seed decides the
// random losses; each CPU has random numbers of its own.
func (w *kernelWay) load(to end, c fault.Config, seed uint64) error {
	spec, err := loadWire()
	if err != nil {
		return err
	}
	var s wireSettings
	s.Enter, s.Leave, s.Corrupt = c.Chances()
	if err := spec.Variables[wireVarSettings].Set(s); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		return err
	}
	perCPU := make([]wireWire, ebpf.MustPossibleCPU())
	for cpu := range perCPU {
		perCPU[cpu].Random = fault.Stream(seed, cpu)
	}
	if err := w.objects.Wires.Put(uint32(0), perCPU); err != nil {
		return err
	}
	if err := w.objects.OtherEnd.Put(uint32(0), uint32(to.index)); err != nil {
		return fmt.Errorf("redirect to %s: %w", to.name, err)
	}
	return w.sent.open(to.name)
}

// run waits for the end of ctx and returns nil: the kernel carries the frames.
func (w *kernelWire) run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (w *kernelWire) counters() (sum [2]fault.Counters, err error) {
	for i, way := range w.ways {
		if sum[i], err = way.counters(); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// counters returns the counts of one direction, summed over the CPUs. The program counts a frame before the
// redirect. Frames for which the other interface had no room (overruns) are the difference to the driver's
// counter, which is read later, so that a frame between the two readings does not count as an overrun.
func (w *kernelWay) counters() (fault.Counters, error) {
	var perCPU []wireWire
	if err := w.objects.Wires.Lookup(uint32(0), &perCPU); err != nil {
		return fault.Counters{}, fmt.Errorf("read the counters of the XDP program: %w", err)
	}
	var c fault.Counters
	for _, cpu := range perCPU {
		c.Forwarded += cpu.Redirected
		c.Dropped += cpu.Dropped
		c.Corrupted += cpu.Corrupted
	}
	if sent, known := w.sent.read(); known && sent < c.Forwarded {
		c.Overrun = c.Forwarded - sent
		c.Forwarded = sent
	}
	return c, nil
}

func (w *kernelWire) close() error {
	var problems []error
	for _, way := range w.ways {
		if way != nil {
			problems = append(problems, way.objects.Program.Close(), way.objects.Wires.Close(), way.objects.OtherEnd.Close(),
				way.sent.close())
		}
	}
	return errors.Join(problems...)
}

// sentCounter reads how many redirected frames a veth has sent. Other drivers have no common name for the counter.
type sentCounter struct {
	conn   *ethtool.Conn
	before uint64
}

func (s *sentCounter) open(ifname string) (err error) {
	if s.conn, err = ethtool.Open(ifname); err != nil {
		return err
	}
	s.before, _ = s.total()
	return nil
}

func (s *sentCounter) total() (frames uint64, known bool) {
	stats, err := s.conn.Statistics()
	if err != nil {
		return 0, false
	}
	for queue := 0; ; queue++ {
		n, ok := stats[fmt.Sprintf("tx_queue_%d_xdp_xmit", queue)]
		if !ok {
			return frames, queue > 0
		}
		frames += n
	}
}

func (s *sentCounter) read() (frames uint64, known bool) {
	total, known := s.total()
	return total - s.before, known && total >= s.before
}

func (s *sentCounter) close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}
