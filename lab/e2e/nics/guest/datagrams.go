package guest

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"uelink/internal/netns"
	"uelink/lab/traffic"
)

// flow is datagrams in one direction.
type flow struct {
	from, to      *net.UDPConn
	address       net.Addr // address of the receiving socket to
	sent, arrived atomic.Int64
}

// datagramPort is the UDP port of the receivers.
const datagramPort = 9

// datagrams starts to send UDP datagrams between the addresses of the two NICs, both ways, with as many in flight as
// frames of a link. It is the load of tests without uelink.
func (b *bed) datagrams() (*load, error) {
	return startRun(func(ctx context.Context, note func(traffic.Progress)) (traffic.Result, error) {
		var ends [2]*net.UDPConn
		for i, n := range b.nics {
			var err error
			if ends[i], err = listenDatagrams(n.home); err != nil {
				return traffic.Result{}, err
			}
			defer ends[i].Close()
		}
		return exchangeDatagrams(ctx, ends, plainAddresses, note), nil
	})
}

// listenDatagrams returns a socket of a namespace that receives datagrams for any address, later addresses included.
func listenDatagrams(ns *netns.NS) (c *net.UDPConn, err error) {
	err = ns.Do(func() (err error) {
		c, err = net.ListenUDP("udp4", &net.UDPAddr{Port: datagramPort})
		return err
	})
	return c, err
}

// exchangeDatagrams sends datagrams both ways between two sockets until ctx ends, and returns the counts. note is
// called with the counts so far, 20 times a second.
func exchangeDatagrams(ctx context.Context, ends [2]*net.UDPConn, addresses [2]string,
	note func(traffic.Progress)) traffic.Result {
	var flows [2]flow
	var senders sync.WaitGroup
	for i := range flows {
		f := &flows[i]
		port := ends[1-i].LocalAddr().(*net.UDPAddr).Port
		f.from, f.to, f.address = ends[i], ends[1-i], &net.UDPAddr{IP: net.ParseIP(addresses[1-i]), Port: port}
		go f.receive()
		senders.Go(func() { f.send(ctx) })
	}
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		note(traffic.Progress{Result: sumOf(&flows)})
	}
	for _, end := range ends {
		_ = end.SetWriteDeadline(time.Now()) // a NIC that stopped sending blocks the write
	}
	senders.Wait()
	return sumOf(&flows)
}

// sumOf returns the counts of both flows so far.
func sumOf(flows *[2]flow) (r traffic.Result) {
	for i := range flows {
		arrived, sent := flows[i].arrived.Load(), flows[i].sent.Load()
		r.Directions = append(r.Directions, traffic.Direction{
			Sent: uint64(sent), Delivered: uint64(arrived), Lost: uint64(max(0, sent-arrived)),
		})
	}
	return r
}

// receive counts the datagrams that arrive at the flow's receiving socket, until the socket is closed.
func (f *flow) receive() {
	octets := make([]byte, 2048)
	for {
		_, err := f.to.Read(octets)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			f.arrived.Add(1)
		}
	}
}

// datagramSizes are the lengths of the datagrams in turn, in octets.
var datagramSizes = []int{64, 64, 594, 64, 594, 1400}

// send sends datagrams, up to onTheWay in flight, until ctx ends. If none arrives for 100 ms, those in flight count
// as lost. If the network refuses a datagram, send tries again.
func (f *flow) send(ctx context.Context) {
	octets := make([]byte, 1500)
	for lost := int64(0); ctx.Err() == nil; {
		n := f.sent.Load()
		if n-lost-f.arrived.Load() >= onTheWay {
			lost = f.await(n, lost)
			continue
		}
		if _, err := f.from.WriteTo(octets[:datagramSizes[n%int64(len(datagramSizes))]], f.address); err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		f.sent.Add(1)
	}
}

// await waits until one more datagram arrives, and returns the argument lost unchanged. If no datagram arrives for 100
// ms, all datagrams under way are lost, and await returns the new number of lost datagrams.
func (f *flow) await(sent, lost int64) int64 {
	for before, began := f.arrived.Load(), time.Now(); f.arrived.Load() == before; {
		if time.Since(began) > 100*time.Millisecond {
			return sent - before
		}
		time.Sleep(100 * time.Microsecond)
	}
	return lost
}
