package bridge_test

import (
	"fmt"
	"time"

	"uelink/dataplane/bridge"
	"uelink/wire"
)

// A bridge of three ports floods the first frame between two hosts, then forwards by the learned addresses, until a
// silent host's address has aged.
func Example() {
	now := wire.Time(0)
	b := bridge.New(bridge.Settings{Ageing: 300 * time.Second, MaxEntries: 1000}, 42, now)
	for port := range 3 {
		if err := b.SetPort(port, bridge.PortSettings{Learning: true}); err != nil {
			fmt.Println(err)
		}
	}

	one, two := [6]byte{2, 0, 0, 0, 0, 1}, [6]byte{2, 0, 0, 0, 0, 2}
	receive := func(in int, destination, source [6]byte) {
		addresses := append(destination[:], source[:]...)
		v := b.Decide(in, addresses, []byte{0x08, 0x00}, now) // an IPv4 frame without a tag
		if !b.Admit(in, addresses, &v, now) {
			fmt.Println("dropped:", v.Drop)
			return
		}
		ports := []uint8{uint8(v.Out)}
		if v.Out == bridge.Flood {
			ports = b.Members(&v)
		}
		fmt.Printf("%s from port %d to port", v.Class, in)
		for _, out := range ports {
			if _, ok := b.Egress(in, int(out), &v); ok {
				fmt.Printf(" %d", out)
			}
		}
		fmt.Println()
	}

	receive(0, two, one)
	receive(2, one, two)
	receive(0, two, one)
	receive(1, one, two) // host two has moved
	for _, e := range b.Events(nil) {
		fmt.Println(e.Kind, e.Address, "from port", e.From, "to port", e.To)
	}
	receive(0, two, one)

	now = now.Add(300 * time.Second)
	receive(0, two, one)
	// Output:
	// unknown from port 0 to port 1 2
	// unicast from port 2 to port 0
	// unicast from port 0 to port 2
	// unicast from port 1 to port 0
	// moved 02:00:00:00:00:02 from port 2 to port 1
	// unicast from port 0 to port 1
	// unknown from port 0 to port 1 2
}

// The loop guard blocks the port that an address keeps moving to, and Poll unblocks the port after BlockTime.
func ExampleBridge_Poll() {
	now := wire.Time(0)
	settings := bridge.Settings{MaxEntries: 1000, LoopGuard: bridge.LoopGuardBlock, BlockTime: 10 * time.Second}
	b := bridge.New(settings, 42, now)
	for port := range 2 {
		if err := b.SetPort(port, bridge.PortSettings{Learning: true}); err != nil {
			fmt.Println(err)
		}
	}
	broadcast := []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0, 1}
	for i := range 6 { // the loop returns each frame of port 0 at port 1
		v := b.Decide(i%2, broadcast, []byte{0x08, 0x00}, now)
		b.Admit(i%2, broadcast, &v, now)
		now = now.Add(time.Millisecond)
	}
	fmt.Println("port 0 blocked:", b.Blocked(0))
	fmt.Println("port 1 blocked:", b.Blocked(1))

	now = b.Poll(now) // the deadline
	b.Poll(now)
	fmt.Println("after", time.Duration(now), "port 1 blocked:", b.Blocked(1))
	// Output:
	// port 0 blocked: false
	// port 1 blocked: true
	// after 10.004s port 1 blocked: false
}
