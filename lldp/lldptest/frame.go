// Package lldptest makes LLDP frames for tests: valid ones, and one for every rule of validation.
package lldptest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"uelink/lldp"
	"uelink/wire"
)

// Source is the MAC address of the sending station.
var Source = wire.MAC{0x02, 0, 0, 0, 0, 0xB}

// TLV returns the octets of a TLV of type t with the information string info.
func TLV(t lldp.Type, info ...byte) []byte {
	return append([]byte{byte(t)<<1 | byte(len(info)>>8), byte(len(info))}, info...)
}

// Chassis returns the octets of the Chassis ID TLV of the test station Source.
func Chassis() []byte { return TLV(lldp.TypeChassisID, append([]byte{4}, Source[:]...)...) }

// Port returns the octets of the Port ID TLV of the test station Source: ifname eth0.
func Port() []byte { return TLV(lldp.TypePortID, append([]byte{5}, "eth0"...)...) }

// TTL returns the octets of a Time To Live TLV.
func TTL(seconds uint16) []byte { return TLV(lldp.TypeTTL, byte(seconds>>8), byte(seconds)) }

// End returns the octets of the End Of LLDPDU TLV.
func End() []byte { return TLV(lldp.TypeEnd) }

// Frame returns an LLDP frame from the test station Source with exactly the given TLVs, without padding.
func Frame(tlvs ...[]byte) []byte {
	head := slices.Concat(lldp.NearestBridge[:], Source[:], []byte{0x88, 0xCC})
	return append(head, bytes.Join(tlvs, nil)...)
}

// Good returns a valid LLDP frame from the test station Source: chassis id, port id, a TTL of 120 s, and then the
// given TLVs.
func Good(tlvs ...[]byte) []byte {
	return Frame(append(append([][]byte{Chassis(), Port(), TTL(120)}, tlvs...), End())...)
}

// Goodbye returns the shutdown LLDPDU of the sender of frame, a valid LLDP frame, as a frame.
func Goodbye(frame []byte) []byte {
	end := wire.HeaderLen
	for range 2 { // chassis id and port id
		end += 2 + int(frame[end]&1)<<8 + int(frame[end+1])
	}
	return slices.Concat(frame[:end], TTL(0), End())
}

// Stranger returns a valid frame of a random station and port, with a system name of 200 octets.
func Stranger(rng *rand.Rand, ttl uint16) []byte {
	chassis := binary.BigEndian.AppendUint32([]byte{4, 0x02, 0}, rng.Uint32())
	port := binary.BigEndian.AppendUint64([]byte{7}, rng.Uint64())
	return Frame(TLV(lldp.TypeChassisID, chassis...), TLV(lldp.TypePortID, port...), TTL(ttl),
		TLV(lldp.TypeSystemName, make([]byte, 200)...), End())
}
