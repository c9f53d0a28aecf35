package sched_test

import (
	"fmt"
	"time"

	"uelink/dataplane/sched"
	"uelink/wire"
)

// Queue 7 has strict priority, queues 0 and 1 share the rest 1 to 2. The shaper sends 8 Mbit/s, an octet each
// microsecond, after a burst of 4500 octets.
func Example() {
	settings := sched.Settings{Rate: 8_000_000, Burst: 4500}
	settings.Queues[0] = sched.QueueSettings{Weight: 1}
	settings.Queues[1] = sched.QueueSettings{Weight: 2}
	settings.Queues[7] = sched.QueueSettings{Group: 1}
	s := sched.New(settings)

	waiting := [8]int{0: 100, 1: 100, 7: 2} // frames of 1500 octets
	ready := func() (queues uint32) {
		for q, n := range waiting {
			if n > 0 {
				queues |= 1 << q
			}
		}
		return queues
	}
	now, sent := wire.Time(0), 0
	for ; sent < 92; now = s.Deadline() { // sleep until the shaper opens again
		for s.Open(now) && sent < 92 {
			q, ok := s.Next(ready())
			if !ok {
				break // no frame waits
			}
			waiting[q]--
			s.Sent(q, 1500)
			if sent++; sent <= 5 {
				fmt.Println(time.Duration(now), "queue", q)
			}
		}
	}
	fmt.Println("sent:", 100-waiting[0], "of queue 0,", 100-waiting[1], "of queue 1,", 2-waiting[7], "of queue 7")
	// Output:
	// 0s queue 7
	// 0s queue 7
	// 0s queue 0
	// 0s queue 0
	// 1.5ms queue 1
	// sent: 31 of queue 0, 59 of queue 1, 2 of queue 7
}
