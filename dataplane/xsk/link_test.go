package xsk

import (
	"errors"
	"testing"

	"github.com/vishvananda/netlink"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// tryKick kicks and tolerates one error.
func (s *station) tryKick(tolerated error) error {
	s.t.Helper()
	err := s.socket.Kick()
	if err != nil && !errors.Is(err, tolerated) {
		s.t.Fatal(err)
	}
	return err
}

// TestDownAndUp takes the link down in the midst of traffic: frames may be lost,
// but the same sockets go on when it is up again.
func TestDownAndUp(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60, 1514}, nil)
		exchange(x, y, 1000, 32)
		x.lost, y.lost = true, true
		for _, end := range []string{"a", "b", "a"} {
			w.down(end)
			down := x
			if end == "b" {
				down = y
			}
			until(t, func() bool {
				x.send(x.sent+8, 1<<40)
				y.send(y.sent+8, 1<<40)
				saw := down.tryKick(frame.ErrDown)
				down.peer.tryKick(frame.ErrDown)
				x.work()
				y.work()
				return saw != nil
			})
			w.up(end)
			resume(x, y)
			x.lost, y.lost = false, false
			exchange(x, y, max(x.sent, y.sent)+1000, 32)
			x.lost, y.lost = true, true
		}
	})
}

// resume sends until the latest frame arrives at either end, so that no earlier frame is under way, and forgets the
// lost frames.
func resume(x, y *station) {
	x.t.Helper()
	turn := 0
	until(x.t, func() bool {
		for _, s := range []*station{x, y} {
			if turn%1000 == 0 {
				s.send(s.sent+1, 1<<40)
			}
			s.tryKick(nil)
		}
		turn++
		x.work()
		y.work()
		return turn > 1 && x.next == y.sent && y.next == x.sent
	})
	x.received, y.received = y.sent, x.sent
}

// TestDownKeepsFrames posts frames while the link is down: they leave when it is
// up again.
func TestDownKeepsFrames(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60, 1514}, nil)
		w.down("a")
		x.send(10, 32)
		if err := a.Kick(); err != frame.ErrDown {
			t.Fatalf("Kick while the link is down: %v", err)
		}
		if err := a.Check(); err != frame.ErrDown {
			t.Errorf("Check while the link is down: %v", err)
		}
		w.up("a")
		until(t, func() bool {
			x.kick()
			x.work()
			y.work()
			return y.received == 10 && x.done == 10
		})
		if err := a.Check(); err != nil {
			t.Errorf("Check when the link is up again: %v", err)
		}
	})
}

// TestOpenWhileDown opens sockets before the link is up.
func TestOpenWhileDown(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		w.down("a")
		w.down("b")
		a, b := w.pair(small(opener))
		w.up("a")
		w.up("b")
		x, y := converse(t, a, b, []int{60}, nil)
		exchange(x, y, 100, 32)
	})
}

// TestGone deletes the interface, and makes it again.
func TestGone(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60}, nil)
		exchange(x, y, 100, 32)
		if err := netlink.LinkDel(w.link("a")); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*station{x, y} {
			if err := s.socket.Check(); err != frame.ErrGone {
				t.Errorf("Check on an interface that was deleted: %v", err)
			}
			s.send(s.sent+1, 1<<40)
			if err := s.socket.Kick(); err != frame.ErrGone {
				t.Errorf("Kick on an interface that was deleted: %v", err)
			}
			s.work()
			if _, err := s.socket.Stats(); err != nil {
				t.Error(err)
			}
			if err := s.socket.Close(); err != nil {
				t.Error(err)
			}
		}
		w.create()
		a, b = w.pair(small(opener))
		x, y = converse(t, a, b, []int{60}, nil)
		exchange(x, y, 100, 32)
	})
}
