// Package lldptest makes LLDP frames for tests: good ones, and one for every rule
// of what is taken and what is discarded.
package lldptest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"uelink/lldp"
	"uelink/wire"
)

// Source is the station that the frames come from.
var Source = wire.MAC{0x02, 0, 0, 0, 0, 0xB}

// TLV is one TLV in octets.
func TLV(t lldp.Type, info ...byte) []byte {
	return append([]byte{byte(t)<<1 | byte(len(info)>>8), byte(len(info))}, info...)
}

// Chassis is the Chassis ID TLV of Source.
func Chassis() []byte { return TLV(lldp.TypeChassisID, append([]byte{4}, Source[:]...)...) }

// Port is the Port ID TLV of Source: ifname eth0.
func Port() []byte { return TLV(lldp.TypePortID, append([]byte{5}, "eth0"...)...) }

// TTL is a Time To Live TLV.
func TTL(seconds uint16) []byte { return TLV(lldp.TypeTTL, byte(seconds>>8), byte(seconds)) }

// End is End Of LLDPDU.
func End() []byte { return TLV(lldp.TypeEnd) }

// Frame is a frame from Source with these TLVs, not padded.
func Frame(tlvs ...[]byte) []byte {
	head := slices.Concat(lldp.NearestBridge[:], Source[:], []byte{0x88, 0xCC})
	return append(head, bytes.Join(tlvs, nil)...)
}

// Good is a good frame of Source with a TTL of 120 and more TLVs.
func Good(tlvs ...[]byte) []byte {
	return Frame(append(append([][]byte{Chassis(), Port(), TTL(120)}, tlvs...), End())...)
}

// Goodbye is the shutdown LLDPDU of the station that sent a good frame.
func Goodbye(frame []byte) []byte {
	end := wire.HeaderLen
	for range 2 { // chassis id and port id
		end += 2 + int(frame[end]&1)<<8 + int(frame[end+1])
	}
	return slices.Concat(frame[:end], TTL(0), End())
}

// Stranger is a good frame of a station and port that nobody has heard of, with a
// long system name.
func Stranger(rng *rand.Rand, ttl uint16) []byte {
	chassis := binary.BigEndian.AppendUint32([]byte{4, 0x02, 0}, rng.Uint32())
	port := binary.BigEndian.AppendUint64([]byte{7}, rng.Uint64())
	return Frame(TLV(lldp.TypeChassisID, chassis...), TLV(lldp.TypePortID, port...), TTL(ttl),
		TLV(lldp.TypeSystemName, make([]byte, 200)...), End())
}
