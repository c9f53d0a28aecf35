package sched

import (
	"slices"
	"testing"
)

// seen returns a new scheduler that has sent a frame of the given octets.
func seen(settings Settings, octets int) *Scheduler {
	s := New(settings)
	s.length |= uint64(octets - 1)
	return &s
}

// serve sends n frames of the given octets by the scheduler, with the same queues
// ready throughout, and lists the queues that they came from.
func serve(t *testing.T, s *Scheduler, ready uint32, n, octets int) []uint8 {
	t.Helper()
	var order []uint8
	for range n {
		q, ok := s.Next(ready)
		if !ok {
			t.Fatalf("nothing to send of %b", ready)
		}
		s.Sent(q, octets)
		order = append(order, q)
	}
	return order
}

func wantOrder(t *testing.T, got []uint8, want ...uint8) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestNothingReady(t *testing.T) {
	s := New(Settings{})
	if q, ok := s.Next(0); ok {
		t.Errorf("queue %d of none", q)
	}
}

// With frames as long as the least quantum, a turn is one frame.
func TestZeroSettingsServeAllQueuesInTurn(t *testing.T) {
	s := New(Settings{})
	wantOrder(t, serve(t, &s, 0x80000105, 9, 256), 0, 2, 8, 31, 0, 2, 8, 31, 0)
}

func TestTurnsAreAsLongAsTheWeights(t *testing.T) {
	s := seen(Settings{Queues: [Queues]QueueSettings{1: {Weight: 3}, 2: {Weight: 2}}}, 256)
	wantOrder(t, serve(t, s, 0b0111, 12, 256), 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2, 2)
}

// Weights that are all large make no longer turns than small ones.
func TestLargeWeightsMakeNoLongerTurns(t *testing.T) {
	s := seen(Settings{Queues: [Queues]QueueSettings{{Weight: 128}, {Weight: 255}, {Weight: 1}}}, 512)
	wantOrder(t, serve(t, s, 0b011, 9, 512), 0, 1, 1, 0, 1, 1, 0, 1, 1)
}

func TestHighestGroupFirst(t *testing.T) {
	var settings Settings
	for q := range settings.Queues {
		settings.Queues[q].Group = uint8(q % 4 * 60)
	}
	s := New(settings)
	wantOrder(t, serve(t, &s, 0b1111_1111, 4, 256), 3, 7, 3, 7)
	wantOrder(t, serve(t, &s, 0b0111_0111, 2, 256), 2, 6)
	wantOrder(t, serve(t, &s, 0b0001_0011, 2, 256), 1, 1)
	wantOrder(t, serve(t, &s, 0b0001_0001, 3, 256), 0, 4, 0)
}

func TestEachQueueCanHaveAGroupOfItsOwn(t *testing.T) {
	var settings Settings
	for q := range settings.Queues {
		settings.Queues[q].Group = uint8(255 - 7*q)
	}
	s := New(settings)
	for ready := ^uint32(0); ready != 0; {
		q, _ := s.Next(ready)
		s.Sent(q, 1500)
		if ready &^= 1 << q; ready != ^uint32(0)<<(q+1) {
			t.Fatalf("queue %d, left are %b", q, ready)
		}
	}
}

// A group that a higher one interrupts goes on where it was.
func TestGroupGoesOnWhereItWas(t *testing.T) {
	s := seen(Settings{Queues: [Queues]QueueSettings{{}, {}, {Group: 1}}}, 1024)
	wantOrder(t, serve(t, s, 0b011, 3, 512), 0, 0, 1)
	wantOrder(t, serve(t, s, 0b111, 5, 512), 2, 2, 2, 2, 2)
	wantOrder(t, serve(t, s, 0b011, 3, 512), 1, 0, 0)
}

func TestChoiceIsKeptUntilItIsSent(t *testing.T) {
	s := New(Settings{Queues: [Queues]QueueSettings{{}, {}, {Group: 1}}})
	for _, ready := range []uint32{0b010, 0b011, 0b111, 0b010} {
		if q, _ := s.Next(ready); q != 1 {
			t.Fatalf("queue %d of %b", q, ready)
		}
	}
	s.Sent(0, 256) // another queue's
	wantOrder(t, serve(t, &s, 0b111, 2, 256), 1, 2)
}

func TestChoiceIsGoneWhenItsQueueIsNotReady(t *testing.T) {
	for _, between := range []uint32{0, 0b101} {
		s := New(Settings{Queues: [Queues]QueueSettings{{}, {}, {Group: 1}}})
		s.Next(0b010)
		s.Next(between)
		if q, _ := s.Next(0b110); q != 2 {
			t.Errorf("after %b: queue %d", between, q)
		}
	}
}

// A queue whose gate is closed has no part in the round, and gets no credit for it.
func TestClosedGateHoardsNoCredit(t *testing.T) {
	s := New(Settings{})
	wantOrder(t, serve(t, &s, 0b11, 4, 256), 0, 1, 0, 1)
	serve(t, &s, 0b01, 1000, 256)
	wantOrder(t, serve(t, &s, 0b11, 4, 256), 1, 0, 1, 0)
}

// What is left of a turn is lost when the queue is not ready.
func TestRestOfATurnIsLost(t *testing.T) {
	s := seen(Settings{}, 1024)
	wantOrder(t, serve(t, s, 0b11, 1, 256), 0)
	wantOrder(t, serve(t, s, 0b10, 1, 256), 1)
	wantOrder(t, serve(t, s, 0b11, 8, 256), 1, 1, 1, 0, 0, 0, 0, 1)
}

// A queue that leaves with a debt has it when it comes back.
func TestDebtIsKept(t *testing.T) {
	s := New(Settings{})
	wantOrder(t, serve(t, &s, 0b01, 1, 255), 0)
	wantOrder(t, serve(t, &s, 0b01, 1, 1000), 0) // for the octet that was left
	wantOrder(t, serve(t, &s, 0b10, 1, 1000), 1)
	wantOrder(t, serve(t, &s, 0b11, 4, 1000), 0, 1, 0, 1)
	if s.credit[0] >= 0 {
		t.Errorf("credit %d: the debt is forgotten", s.credit[0])
	}
}

// The port sends a frame that nothing is ahead of without asking.
func TestFrameThatWasNotChosenCostsNoShare(t *testing.T) {
	s := New(Settings{})
	for range 1000 {
		s.Sent(0, 1500)
	}
	wantOrder(t, serve(t, &s, 0b11, 4, 256), 0, 1, 0, 1)
}

func TestConfigureStartsAgain(t *testing.T) {
	s := New(Settings{})
	s.Next(0b01)
	s.Configure(Settings{Queues: [Queues]QueueSettings{{}, {Group: 1}}})
	if q, _ := s.Next(0b11); q != 1 {
		t.Errorf("queue %d has the highest group", q)
	}
	if s.Configure(Settings{}); s != New(Settings{}) {
		t.Error("something is left of what was before")
	}
}

// Calls that make no sense do no harm.
func TestNonsenseIsHarmless(t *testing.T) {
	s := New(Settings{Rate: 1, Burst: 1})
	for _, octets := range []int{-1, 0, 1 << 40, -1 << 63} {
		for _, q := range []uint8{0, 31, 32, 63, 64, 255} {
			s.Next(^uint32(0))
			s.Sent(q, octets)
			s.Next(1)
			s.Sent(0, octets)
		}
	}
	if _, ok := s.Next(1 << 31); !ok {
		t.Error("nothing to send")
	}
}
