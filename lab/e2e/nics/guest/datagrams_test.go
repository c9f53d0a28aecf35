package guest

import (
	"context"
	"net"
	"testing"

	"uelink/lab/traffic"
)

// listen is a socket of this machine.
func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Datagrams without an answer are written off, and the next ones are sent.
func TestDatagramsGoOnAfterALoss(t *testing.T) {
	ends := [2]*net.UDPConn{listen(t), listen(t)}
	const enough = 10 * onTheWay
	deaf := listen(t)
	f := flow{from: ends[0], to: deaf, address: deaf.LocalAddr()}
	ctx, stop := context.WithCancel(t.Context())
	lost := make(chan struct{})
	go func() { f.send(ctx); close(lost) }()
	for f.sent.Load() < 2*onTheWay {
		if f.arrived.Load() > 0 {
			t.Fatal("something was received")
		}
	}
	stop()
	<-lost
	ctx, stop = context.WithCancel(t.Context())
	addresses := [2]string{"127.0.0.1", "127.0.0.1"}
	r := exchangeDatagrams(ctx, ends, addresses, func(p traffic.Progress) {
		if min(p.Directions[0].Delivered, p.Directions[1].Delivered) > enough {
			stop()
		}
	})
	for _, d := range r.Directions {
		if d.Delivered <= enough {
			t.Errorf("of %d datagrams %d arrived", d.Sent, d.Delivered)
		}
	}
}
