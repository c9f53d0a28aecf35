package cable

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/fault"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
)

// kernelWire is a wire within the kernel.
type kernelWire struct {
	sight *sight
	ways  []*kernelWay
}

// kernelWay is one direction: the programs on the interface where the frames arrive.
//
// XDP redirect is the fast path. A veth hands redirected frames to its other end only if that end runs an XDP program,
// and a frame that a host's stack has sent loses its unfinished checksum on the way. So frames take this path only
// while the other ends of all veths run XDP programs. The XDP program passes all other frames on to the program for
// skbs. The XDP program stays attached even if no frame takes the fast path: with the program on a veth, the other end
// cuts super-frames before it sends them.
type kernelWay struct {
	objects struct {
		Program  *ebpf.Program  `ebpf:"uelink_cable"`
		Skb      *ebpf.Program  `ebpf:"uelink_cable_skb"`
		Filter   *ebpf.Program  `ebpf:"uelink_entry"`
		Wires    *ebpf.Map      `ebpf:"wires"`
		OtherEnd *ebpf.Map      `ebpf:"other_end"`
		Entry    *ebpf.Map      `ebpf:"entry"`
		Direct   *ebpf.Variable `ebpf:"direct"`
	}
	from    *end
	to      *end        // end where the frames leave; nil: they go to the network stack at the interface of from
	direct  atomic.Bool // frames leave by XDP redirect
	skbPath string      // path of frames that do not leave by XDP redirect: tcx or clsact
	sent    sentCounter
}

// openKernel loads the programs of a wire in the kernel, attaches them to the ends, and chooses the path of the frames.
// When it returns, frames cross.
func openKernel(ends []*end, c Config, s *sight) (medium, error) {
	w := &kernelWire{sight: s}
	for i, from := range ends {
		way := &kernelWay{from: from}
		if c.joins() {
			way.to = ends[1-i]
		}
		w.ways = append(w.ways, way)
		plug := func() (netif.Program, error) {
			if err := way.load(c.Fault, fault.Stream(c.Fault.Seed, i)); err != nil {
				return nil, err
			}
			return way.plug(c)
		}
		if err := from.attach(plug, nil, c.joins()); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	views, err := lookAll(ends)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, w.adapt(views)
}

// load loads the programs of one direction with the faults c. seed decides the random losses; each CPU has random
// numbers of its own.
func (w *kernelWay) load(c fault.Config, seed uint64) error {
	spec, err := loadWire()
	if err != nil {
		return err
	}
	var s wireSettings
	s.Enter, s.Leave, s.Corrupt = c.Chances()
	if w.to != nil {
		s.Other = uint32(w.to.index)
	}
	if err := spec.Variables[wireVarSettings].Set(s); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&w.objects, nil); err != nil {
		return fmt.Errorf("%s: load the programs: %w", w.from.name, err)
	}
	perCPU := make([]wireWire, ebpf.MustPossibleCPU())
	for cpu := range perCPU {
		perCPU[cpu].Random = fault.Stream(seed, cpu)
	}
	if err := w.objects.Wires.Put(uint32(0), perCPU); err != nil {
		return err
	}
	if w.to == nil {
		return nil
	}
	if err := w.objects.OtherEnd.Put(uint32(0), uint32(w.to.index)); err != nil {
		return fmt.Errorf("redirect to %s: %w", w.to.name, err)
	}
	return w.sent.open(w.to)
}

// attachment is what a kernel cable has put on an interface: a program for skbs and, where the driver has XDP, one for
// XDP frames.
type attachment struct {
	skbs *hook
	xdp  *bpf.Attachment // nil: none
}

// plug attaches the programs of one direction to its interface: the program for skbs first, so that every frame that
// the XDP program passes on meets the program for skbs. It is an error if another XDP program is there; a driver
// without XDP is none.
func (w *kernelWay) plug(c Config) (netif.Program, error) {
	skbs, err := w.hookSkbs(w.from, w.to != nil, c.noTCX)
	if err != nil {
		return nil, err
	}
	a := &attachment{skbs: skbs}
	w.skbPath = skbs.path
	if c.KeepGSO || w.to == nil && !w.from.veth {
		return a, nil
	}
	a.xdp, err = bpf.AttachProgram(w.from.index, w.objects.Program, nil, attach.ModeDriver)
	if errors.As(err, new(*bpf.OccupiedError)) || errors.As(err, new(*bpf.PrivilegeError)) {
		return nil, errors.Join(err, skbs.Close())
	}
	return a, nil // a driver without XDP: all frames are skbs
}

// Mode returns ModeDriver, or ModeAuto if there is no XDP program.
func (a *attachment) Mode() attach.Mode {
	if a.xdp == nil {
		return attach.ModeAuto
	}
	return a.xdp.Mode()
}

// Register returns an error: a kernel cable has no sockets.
func (a *attachment) Register(int, int) error { return errors.ErrUnsupported }

// Unregister returns an error: a kernel cable has no sockets.
func (a *attachment) Unregister(int) error { return errors.ErrUnsupported }

// Close takes the programs off the interface.
func (a *attachment) Close() error {
	if a.xdp == nil {
		return a.skbs.Close()
	}
	return errors.Join(a.xdp.Close(), a.skbs.Close())
}

// adapt chooses the path of each direction by the present attributes of the interfaces.
func (w *kernelWire) adapt(views []*netlink.LinkAttrs) error {
	takes := true
	for i, way := range w.ways {
		if way.from.veth {
			takes = takes && w.sight.takesXDP(views[i])
		}
	}
	for _, way := range w.ways {
		if err := way.choose(takes); err != nil {
			return err
		}
	}
	return nil
}

// choose makes frames leave by XDP redirect if the other ends of all veths run XDP programs (farTakes), this direction
// has an XDP program in the driver, and the other interface accepts redirected frames; else as skbs.
func (w *kernelWay) choose(farTakes bool) error {
	direct := farTakes && w.to != nil && w.from.xdpMode == attach.ModeDriver && w.to.sends()
	if direct == w.direct.Load() {
		return nil
	}
	value := uint32(0)
	if direct {
		value = 1
	}
	if err := w.objects.Direct.Set(value); err != nil {
		return fmt.Errorf("%s: choose the path of its frames: %w", w.from.name, err)
	}
	w.direct.Store(direct)
	return nil
}

// path returns the present path of the frames.
func (w *kernelWay) path() string {
	if w.direct.Load() {
		return pathXDP
	}
	return w.skbPath
}

// sends reports whether XDP frames can be redirected to the interface. Kernels before Linux 6.3 do not say whether they
// can: sends returns true, and the redirect is tried.
func (e *end) sends() bool {
	if e.veth {
		return true
	}
	f, err := netdev.Get(e.index)
	return err != nil || f.Sends() != netdev.No
}

// run waits for the end of ctx and returns nil: the kernel carries the frames.
func (w *kernelWire) run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// counters returns the counters of each way.
func (w *kernelWire) counters() (all []Counts, err error) {
	for _, way := range w.ways {
		c, err := way.counters()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// counters returns the counts of one direction, summed over the CPUs. The programs count a frame before the redirect.
// Frames for which the other interface had no room (overruns) are the difference to the driver's counters, which are
// read later, so that a frame between the two readings does not count as an overrun.
func (w *kernelWay) counters() (Counts, error) {
	var perCPU []wireWire
	if err := w.objects.Wires.Lookup(uint32(0), &perCPU); err != nil {
		return Counts{}, fmt.Errorf("read the counters of the programs: %w", err)
	}
	c := Counts{Path: w.path()}
	redirected := uint64(0)
	for _, cpu := range perCPU {
		redirected += cpu.Redirected
		c.Forwarded += cpu.Redirected + cpu.Switched
		c.Dropped += cpu.Dropped
		c.Corrupted += cpu.Corrupted
		c.Octets += cpu.Octets
		c.SuperFrames += cpu.Super
		c.SuperLost += cpu.SuperLost
		c.FramesOfLost += cpu.SuperFrames
	}
	if w.to != nil {
		c.Overrun = min(c.Forwarded, w.sent.overruns(redirected))
		c.Forwarded -= c.Overrun
	}
	return c, nil
}

// close closes the programs and maps. The ends detach the programs.
func (w *kernelWire) close() error {
	var problems []error
	for _, way := range w.ways {
		o := way.objects
		problems = append(problems, o.Program.Close(), o.Skb.Close(), o.Filter.Close(), o.Wires.Close(), o.OtherEnd.Close(),
			o.Entry.Close(), way.sent.close())
	}
	return errors.Join(problems...)
}
