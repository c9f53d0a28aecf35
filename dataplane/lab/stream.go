package lab

import (
	"encoding/binary"
	"net/netip"
	"time"

	"uelink/wire"
)

// Stream is numbered UDP datagrams from the host of one end to the host of the other, and what
// became of them. Streams that run at the same time have different ids.
type Stream struct {
	ID       uint8
	From, To *End
	Frames   uint64
	Size     int     // octets of a frame with FCS, as testers count; at least MinSize
	Interval float64 // nanoseconds from one frame to the next; 0: as fast as the interface takes them
	Reserved bool    // to a reserved group address, so that LLR does not number them

	Sent       uint64
	Delivered  uint64        // different frames that came as they were sent
	Duplicated uint64        // that came again
	Reordered  uint64        // that came after one that was sent later
	Damaged    uint64        // that came with other octets
	Latency    time.Duration // mean, of those that were delivered

	begun      int64 // when the first one was due
	first      int64 // when the first one came
	last       int64 // when the last one came
	highest    uint64
	seen       []bool
	sentAt     []int64
	latencySum int64
	octets     []byte // of a frame
}

// MinSize is the smallest frame, with FCS.
const MinSize = wire.MinFrameLen + wire.FCSLen

// What frames are made of in front of their number.
const (
	ipLen     = 20
	udpLen    = 8
	numberAt  = wire.HeaderLen + ipLen + udpLen
	headLen   = numberAt + 8
	firstPort = 49152 // of UDP: that of the stream 0
)

// SourceIP and DestIP are the addresses of the hosts that send and receive.
func SourceIP() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 1}) }

// DestIP is the address of the host that receives.
func DestIP() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 2}) }

// Lost is how many frames were sent and not delivered.
func (s *Stream) Lost() uint64 { return s.Sent - s.Delivered }

// FramesPerSecond is the rate at which frames came, from the first to the last.
func (s *Stream) FramesPerSecond() float64 {
	if s.last <= s.first {
		return 0
	}
	return float64(s.Delivered-1) * 1e9 / float64(s.last-s.first)
}

func (s *Stream) begin(now int64) {
	s.begun, s.first, s.last = now, -1, now
	s.seen, s.sentAt = make([]bool, s.Frames), make([]int64, s.Frames)
	s.octets = s.template()
}

// due is when the next frame is to be sent.
func (s *Stream) due() int64 { return s.begun + int64(float64(s.Sent)*s.Interval) }

// offer hands over the frames that are due, as far as the interface has room.
func (s *Stream) offer(now int64) {
	for s.Sent < s.Frames && s.due() <= now {
		if !s.From.Host.Send(s.frame(s.Sent)) {
			return
		}
		s.sentAt[s.Sent] = s.due()
		s.Sent++
	}
}

// frame is frame number n, until the next call. All octets but those of the number, which is
// there twice, are the stream's.
func (s *Stream) frame(n uint64) []byte {
	binary.BigEndian.PutUint64(s.octets[numberAt:], n)
	binary.BigEndian.PutUint64(s.octets[len(s.octets)-8:], ^n)
	return s.octets
}

// template is a frame of the stream without its number.
func (s *Stream) template() []byte {
	f := make([]byte, s.Size-wire.FCSLen)
	for i := range f {
		f[i] = byte(i) ^ s.ID
	}
	to := wire.MAC{2, 0, 0, 0, 2, 2}
	if s.Reserved {
		to = wire.MAC{0x01, 0x80, 0xC2, 0, 0, 0x03}
	}
	copy(f, to[:])
	copy(f[wire.AddrLen:], []byte{2, 0, 0, 0, 2, 1, 0x08, 0x00})
	ip, udp := f[wire.HeaderLen:], f[wire.HeaderLen+ipLen:]
	clear(ip[:ipLen+udpLen])
	ip[0], ip[8], ip[9] = 0x45, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	source, dest := SourceIP().As4(), DestIP().As4()
	copy(ip[12:], source[:])
	copy(ip[16:], dest[:])
	binary.BigEndian.PutUint16(ip[10:], headerChecksum(ip[:ipLen]))
	binary.BigEndian.PutUint16(udp, firstPort+uint16(s.ID))
	binary.BigEndian.PutUint16(udp[2:], firstPort)
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	return f
}

// headerChecksum is that of an IPv4 header whose checksum is 0.
func headerChecksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return ^uint16(sum)
}

// take looks at a frame of the stream.
func (s *Stream) take(f []byte, now int64) {
	s.last = now
	n := binary.BigEndian.Uint64(f[numberAt:])
	if n >= s.Sent || string(s.frame(n)) != string(f) {
		s.Damaged++
		return
	}
	if s.seen[n] {
		s.Duplicated++
		return
	}
	s.seen[n] = true
	s.Delivered++
	s.latencySum += now - s.sentAt[n]
	s.Latency = time.Duration(s.latencySum / int64(s.Delivered))
	if s.first < 0 {
		s.first = now
	}
	if n < s.highest {
		s.Reordered++
	}
	s.highest = max(s.highest, n)
}
