package checksum

import (
	"fmt"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// BenchmarkFinished is the cost of a frame that has nothing unfinished, of 1514 octets.
func BenchmarkFinished(b *testing.B) {
	for _, c := range []struct {
		protocol layers.IPProtocol
		in       string
	}{{layers.IPProtocolTCP, "IPv4"}, {layers.IPProtocolTCP, "IPv6"}, {layers.IPProtocolUDP, "IPv4"},
		{layers.IPProtocolTCP, "two tags"}, {layers.IPProtocolTCP, "VXLAN"}} {
		b.Run(c.protocol.String()+" in "+c.in, func(b *testing.B) {
			s := build(b, c.in, networks(c.protocol)[c.in], c.protocol, counted(1380), 0)
			for b.Loop() {
				if Finish(s.octets) {
					b.Fatal("a finished frame was changed")
				}
			}
		})
	}
	b.Run("no IP", func(b *testing.B) {
		f := make([]byte, 1514)
		f[12], f[13] = 0x88, 0xb5
		for b.Loop() {
			Finish(f)
		}
	})
}

// BenchmarkUnfinished is the cost of a frame whose checksum is finished, by the octets that it covers.
func BenchmarkUnfinished(b *testing.B) {
	for _, n := range []int{64, 1480, 8980} {
		b.Run(fmt.Sprintf("%d octets of TCP", n), func(b *testing.B) {
			s := build(b, "", networks(layers.IPProtocolTCP)["IPv4"], layers.IPProtocolTCP, counted(n-24), 0)
			f := s.unfinished()
			high, low := f[s.at+16], f[s.at+17]
			b.SetBytes(int64(n))
			for b.Loop() {
				f[s.at+16], f[s.at+17] = high, low
				if !Finish(f) {
					b.Fatal("the checksum was not finished")
				}
			}
		})
	}
}
