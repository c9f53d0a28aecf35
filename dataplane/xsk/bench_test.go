package xsk

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/internal/netns"
)

// BenchmarkForward carries frames from one port to another on one core, each copied into a TX slot, as the data
// plane does. The kernel makes the frames on another core and drops them where they end; excess frames are lost
// before the first port. ns/op is the time for a frame.
func BenchmarkForward(b *testing.B) {
	for _, opener := range []attach.Opener{attach.OpenerAsavie, attach.OpenerNative} {
		for _, octets := range []int{64, 1500} {
			b.Run(fmt.Sprintf("%s/%d", opener, octets), func(b *testing.B) { benchmarkForward(b, opener, octets) })
		}
	}
}

func benchmarkForward(b *testing.B, opener attach.Opener, octets int) {
	in := newWire(b)
	out := in.another("c", "d")
	const ring = 512
	o := Options{
		Opener: opener, Bind: attach.BindCopy, RingSize: ring, Geometry: frame.Geometry{ChunkSize: 4096, RX: ring, TX: 128},
	}
	from := in.open(in.b, 0, in.attach(in.b, attach.ModeDriver), o)
	to := in.open(out.a, 0, in.attach(out.a, attach.ModeDriver), o)
	sink, err := bpf.Attach(out.b, bpf.Config{Link: true, Native: attach.NativeDrop}, attach.ModeDriver)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { sink.Close() })
	stop := generate(b, in.a, octets)
	defer stop()
	if err := onCPU(1); err != nil {
		b.Fatal(err)
	}
	f := forwarder{from: from, to: to, pool: frame.NewPool(o.Geometry.TX)}
	until(b, func() bool { return f.forward(b) > 0 })
	b.ResetTimer()
	kicks := to.Kicks()
	for done := 0; done < b.N; {
		done += f.forward(b)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpps")
	b.ReportMetric(float64(b.N)/float64(max(to.Kicks()-kicks, 1)), "frames/kick")
}

// forwarder copies frames from one socket to another.
type forwarder struct {
	from, to *Socket
	pool     *frame.Pool
	rx, tx   [64]frame.Desc
	addrs    [64]uint64
}

// forward moves a batch and returns how many frames it had.
func (f *forwarder) forward(b *testing.B) int {
	for _, addr := range f.addrs[:f.to.Completed(f.addrs[:])] {
		f.pool.Give(f.to.Geometry().Slot(addr))
	}
	n := f.from.Receive(f.rx[:min(len(f.rx), f.pool.Len(), f.to.TxRoom())])
	for i, d := range f.rx[:n] {
		slot, _ := f.pool.Take()
		addr := f.to.Geometry().SlotAddr(slot)
		copy(f.to.Area()[addr:], f.from.Area()[d.Addr:d.Addr+uint64(d.Len)])
		f.tx[i] = frame.Desc{Addr: addr, Len: d.Len}
	}
	f.from.Recycle(f.rx[:n])
	f.to.Transmit(f.tx[:n])
	if err := errors.Join(f.from.Kick(), f.to.Kick()); err != nil {
		b.Fatal(err)
	}
	return n
}

// another makes a second pair of veths in the same namespace.
func (w *wire) another(a, b string) *wire {
	w.t.Helper()
	other := &wire{t: w.t}
	other.createAs(a, b)
	return other
}

// onCPU ties the calling thread to a CPU, where there are several.
func onCPU(cpu int) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu % runtime.NumCPU())
	return unix.SchedSetaffinity(0, &set)
}

// generate makes the kernel send one frame over and over from an interface, until stop is called. The sender runs
// on CPU 0, whose frames a veth puts on queue 0.
func generate(b *testing.B, ifindex, octets int) (stop func()) {
	b.Helper()
	const liveFrames = unix.BPF_F_TEST_XDP_LIVE_FRAMES
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.XDP,
		License: "GPL",
		Instructions: asm.Instructions{
			asm.Mov.Imm(asm.R1, int32(ifindex)),
			asm.Mov.Imm(asm.R2, 0),
			asm.FnRedirect.Call(),
			asm.Return(),
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	packet := make([]byte, octets)
	copy(packet, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34})
	quit, ended := make(chan struct{}), make(chan error, 1)
	send := func() error {
		err := onCPU(0)
		for err == nil {
			select {
			case <-quit:
				return nil
			default:
			}
			_, err = program.Run(&ebpf.RunOptions{Data: packet, Repeat: 1 << 20, Flags: liveFrames,
				Context: struct{ Data, DataEnd, DataMeta, Ifindex, Queue, Egress uint32 }{DataEnd: uint32(octets)}})
		}
		return err
	}
	here := fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid())
	go func() { ended <- netns.Within(here, send) }()
	return func() {
		close(quit)
		if err := <-ended; err != nil {
			b.Error(err)
		}
		program.Close()
	}
}
