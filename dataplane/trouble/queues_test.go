package trouble

import (
	"testing"

	"uelink/dataplane/attach"
)

// Frames by a queue without a socket are known by their queue. Those of before the first check are none, nor are those
// that came while the sockets were opened anew.
func TestUncaughtByQueue(t *testing.T) {
	var u uncaught
	sockets := attach.QueuesOf([]int{1})
	for i, c := range []struct {
		counts  []uint64
		arrived bool
		queues  string
		quiet   int
	}{
		{[]uint64{5, 5, 0}, false, "all", 1}, {[]uint64{5, 5, 0}, false, "all", 2}, {[]uint64{5, 5, 1}, true, "2", 0},
		{[]uint64{5, 9, 1}, false, "2", 1}, {[]uint64{6, 9, 1}, true, "0, 2", 0}, {[]uint64{6, 9, 1}, false, "0, 2", 1},
	} {
		arrived := u.update(c.counts, sockets)
		if arrived != c.arrived || u.queues.String() != c.queues || u.quiet != c.quiet {
			t.Errorf("check %d at %d: arrived %t, by %v, quiet for %d: want %+v", i, c.counts, arrived, u.queues, u.quiet, c)
		}
	}
}
