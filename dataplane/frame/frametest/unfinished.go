package frametest

import "encoding/binary"

// Unfinished returns a UDP datagram with a payload of n octets in an Ethernet frame, as a host with checksum offload
// sends it (its field has the sum of the pseudo header), and the same frame with its checksum.
func Unfinished(n int) (unfinished, finished []byte) {
	const ip, udp = 14, 34
	f := make([]byte, udp+8+n)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00, 0x45})
	copy(f[ip+8:], []byte{64, 17, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2})
	binary.BigEndian.PutUint16(f[ip+2:], uint16(len(f)-ip))
	binary.BigEndian.PutUint16(f[ip+10:], ^folded(f[ip:udp], 0))
	copy(f[udp:], []byte{0xC0, 0, 0, 53})
	binary.BigEndian.PutUint16(f[udp+4:], uint16(8+n))
	for i := range n {
		f[udp+8+i] = byte(i * 7)
	}
	pseudo := folded(f[ip+12:udp], uint32(17+8+n))
	binary.BigEndian.PutUint16(f[udp+6:], pseudo)
	unfinished = append([]byte(nil), f...)
	binary.BigEndian.PutUint16(f[udp+6:], ^folded(f[udp:], 0))
	return unfinished, f
}

// folded returns the ones' complement sum of octets and an initial value.
func folded(b []byte, initial uint32) uint16 {
	s := initial
	for i, octet := range b {
		s += uint32(octet) << (8 * (1 - i%2))
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}
