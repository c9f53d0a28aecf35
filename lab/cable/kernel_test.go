package cable

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/fault"
)

// The program is the model in C: with one seed, on one CPU, it loses the same
// frames and flips the same bits, of every frame.
func TestKernelDecidesAsTheModel(t *testing.T) {
	b := newBench(t, 1500)
	for _, c := range []fault.Config{
		{Loss: 0.1, Seed: 1},
		{Loss: 0.2, Burst: 5, Corrupt: 0.3, Seed: 2},
		{Corrupt: 1, Seed: 3},
		{Loss: 1, Seed: 4},
		{Seed: 5},
	} {
		way := &kernelWay{}
		must(t, b.middle.Do(func() error {
			dev, err := netlink.LinkByName("b")
			if err != nil {
				return err
			}
			way.from = &end{name: "a"}
			way.to = &end{name: "b", ifname: "b", index: dev.Attrs().Index, links: &netlink.Handle{}}
			return way.load(c, c.Seed)
		}))
		compare(t, way.objects.Skb, c, tcRedirect, tcDrop)
		restart(t, way, c)
		must(t, way.objects.Direct.Set(uint32(1)))
		compare(t, way.objects.Program, c, xdpRedirect, xdpDrop)
		must(t, (&kernelWire{ways: []*kernelWay{way}}).close())
	}
}

// Results of a program at TCX.
const (
	tcDrop     = 2
	tcRedirect = 7
)

// restart makes the draws of a direction begin with the seed again.
func restart(t *testing.T, w *kernelWay, c fault.Config) {
	t.Helper()
	perCPU := make([]wireWire, ebpf.MustPossibleCPU())
	for cpu := range perCPU {
		perCPU[cpu].Random = fault.Stream(c.Seed, cpu)
	}
	must(t, w.objects.Wires.Put(uint32(0), perCPU))
}

// compare runs frames through the program on this thread's CPU, and through the
// model. redirect and drop are the program's results for frames that go on, and for lost ones.
func compare(t *testing.T, program *ebpf.Program, c fault.Config, redirect, drop uint32) {
	t.Helper()
	runtime.LockOSThread() // and let the thread die, for it stays on one CPU
	cpu := 0
	var only unix.CPUSet
	only.Set(cpu)
	must(t, unix.SchedSetaffinity(0, &only))
	model := c
	model.Seed = fault.Stream(c.Seed, cpu)
	m := fault.NewModel(model)
	for n := range uint64(3000) {
		in := numbered(n, 1514)
		out := make([]byte, len(in))
		action, err := program.Run(&ebpf.RunOptions{Data: in, DataOut: out})
		must(t, err)
		fate, want := m.Next(), redirect
		if fate.Drop {
			want = drop
		}
		m.Corrupt(in, fate.Flips)
		if action != want || action == redirect && !bytes.Equal(in, out) {
			t.Fatalf("%+v: frame %d: action %d, want %d; octets equal: %v", c, n, action, want, bytes.Equal(in, out))
		}
	}
}
