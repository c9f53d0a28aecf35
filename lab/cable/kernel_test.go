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
			return way.load(end{name: "b", index: dev.Attrs().Index}, c, c.Seed)
		}))
		compare(t, way.objects.Program, c)
		must(t, (&kernelWire{ways: [2]*kernelWay{way, nil}}).close())
	}
}

// compare runs frames through the program on this thread's CPU, and through the
// model.
func compare(t *testing.T, program *ebpf.Program, c fault.Config) {
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
		fate, want := m.Next(), uint32(xdpRedirect)
		if fate.Drop {
			want = xdpDrop
		}
		m.Corrupt(in, fate.Flips)
		if action != want || action == xdpRedirect && !bytes.Equal(in, out) {
			t.Fatalf("%+v: frame %d: action %d, want %d; octets equal: %v", c, n, action, want, bytes.Equal(in, out))
		}
	}
}
