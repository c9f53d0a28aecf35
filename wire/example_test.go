package wire_test

import (
	"bytes"
	"fmt"

	"uelink/wire"
)

// A data frame: an Ethernet frame behind a shim with an LLR sequence number and an FCS image.
func ExamplePutData() {
	carried := make([]byte, 64) // from the host, without FCS
	copy(carried, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x08\x00")
	preamble := wire.Preamble{Seq: 1000, Sequenced: true, FCS: true, To: wire.To{VC: 3}}

	frame := make([]byte, preamble.DataLen(len(carried)))
	wire.PutData(frame, carried, wire.EtherTypeData, wire.DialectSeed, preamble, false)
	fmt.Printf("%d octets, shim % x\n", len(frame), frame[2*wire.AddrLen:][:wire.ShimLen])

	// The other end.
	p, fault := wire.ParseData(frame, wire.DialectSeed)
	fmt.Println(fault, p.Seq, p.Sequenced, p.VC)
	received := make([]byte, p.CarriedLen(len(frame)))
	fmt.Println(wire.Carried(received, frame, p, true) == wire.FCSGood, bytes.Equal(received, carried))

	frame[40] ^= 1 // damaged on the wire
	fmt.Println(wire.Carried(received, frame, p, true) == wire.FCSBad)
	// Output:
	// 78 octets, shim 88 b5 55 55 55 dd 00 03 e8 83
	// no fault 1000 true 3
	// true true
	// true
}

// A control frame with two control ordered sets: an acknowledgement, and credits of two virtual channels.
func ExamplePutControl() {
	station := wire.MAC{0x02, 0, 0, 0, 0, 0x0A}
	list := []wire.CtlOS{
		{Type: wire.LLRAck, Seq: 1000},
		{Type: wire.CFUpdate, CF: [2]wire.Credit{{VC: 0, Count: 20}, {VC: 3, Count: 7}}},
	}
	b := make([]byte, wire.MaxControlLen)
	frame := b[:wire.PutControl(b, station, wire.EtherTypeControl, list)]
	fmt.Printf("%d octets, first set % x\n", len(frame), frame[wire.HeaderLen+2:][:wire.CtlOSLen])

	// The other end.
	var sets [wire.MaxCtlOS]wire.CtlOS
	n, unknown, fault := wire.ParseControl(frame, &sets)
	fmt.Println(n, unknown, fault)
	fmt.Println(sets[0].Type, sets[0].Seq)
	fmt.Println(sets[1].Type, sets[1].CF)
	// Output:
	// 60 octets, first set 4b 01 00 3e 86 00 00 00
	// 2 0 no fault
	// LLR_ACK 1000
	// CF_Update [{0 20} {3 7}]
}
