package cbfc_test

import (
	"fmt"

	"uelink/cbfc"
	"uelink/wire"
)

// A channel of four credits comes under credits, is used up, and goes on when the receiver has freed a frame.
func Example() {
	const vc = 3
	size := cbfc.Size{Credit: 2048} // a frame of up to 2044 octets costs one credit
	sends := cbfc.Settings{On: true, Size: size, Lossless: 1 << vc, CFMinSpacing: 800, CFMaxSpacing: 1 << 16}
	grants := cbfc.Settings{On: true, Size: size, CFMinSpacing: 800, CFMaxSpacing: 1 << 16}
	grants.Limit[vc] = 4
	a, b := cbfc.NewPort(sends), cbfc.NewPort(grants)

	now := wire.Time(1_000_000_000)
	link := cbfc.Env{Known: true, CBFC: true, LLR: true, Largest: 1514, Idle: true}
	ofA, ofB := link, link
	ofA.Start, ofB.Start = 2, 1 // start ids: of the other end

	// exchange passes the control frames of both ends to each other.
	exchange := func() {
		for range 2 {
			b.ReceivedControl(a.Poll(now, &ofA, make([]wire.CtlOS, 0, wire.MaxCtlOS)), &ofB, now)
			a.ReceivedControl(b.Poll(now, &ofB, make([]wire.CtlOS, 0, wire.MaxCtlOS)), &ofA, now)
		}
	}
	exchange()           // START, STARTED
	now += 1_000_000_000 // late messages from before the start do not count any more
	exchange()

	for {
		credits, gate := a.Tx.Gate(vc, 1514)
		if gate != cbfc.Open {
			fmt.Println("the gate is shut")
			break
		}
		a.Tx.Charge(vc, credits, now)
		fmt.Println("sent for", b.Rx.Store(vc, 1514), "credit")
	}

	b.Rx.Free(vc, 1) // the first frame has left the receiver
	exchange()       // CF_Update
	_, gate := a.Tx.Gate(vc, 1514)
	fmt.Println("the gate is open:", gate == cbfc.Open)
	// Output:
	// sent for 1 credit
	// sent for 1 credit
	// sent for 1 credit
	// sent for 1 credit
	// the gate is shut
	// the gate is open: true
}
