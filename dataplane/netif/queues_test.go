package netif

import (
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/attach"
)

// The queues that get a socket, first the queue that frames leave by, or the error that names a missing queue.
func TestQueueNumbers(t *testing.T) {
	for _, c := range []struct {
		queues []int
		leaves int // -1: auto
		rx, tx int
		want   []int
		text   string
	}{
		{nil, -1, 3, 3, []int{0, 1, 2}, ""},
		{nil, 2, 3, 3, []int{2, 0, 1}, ""},
		{[]int{0, 1}, -1, 4, 1, []int{0, 1}, ""},
		{[]int{1, 3}, -1, 4, 4, []int{1, 3}, ""},
		{[]int{1, 3}, 3, 4, 4, []int{3, 1}, ""},
		{nil, -1, 2000, 1, attach.FirstQueues(attach.MaxQueues).List(), ""},
		{[]int{1, 3}, -1, 3, 4, nil, "queues: 1, 3, but the interface has 3 RX queues, numbered from 0"},
		{nil, 3, 3, 4, nil, "tx_queue: 3, but sockets are on the queues 0-2"},
		{[]int{1, 3}, 2, 4, 4, nil, "tx_queue: 2, but sockets are on the queues 1, 3"},
		{[]int{1, 3}, 3, 4, 2, nil, "frames are to leave by queue 3 (tx_queue: 3), but the interface has 2 TX queues, " +
			"numbered from 0"},
		{[]int{1, 3}, -1, 4, 1, nil, "frames are to leave by queue 1 (tx_queue: auto), but the interface has 1 TX queues"},
	} {
		leaves := attach.TxQueue{Given: c.leaves >= 0, Number: max(c.leaves, 0)}
		s := Sockets{Queues: attach.QueuesOf(c.queues), TxQueue: leaves}
		got, err := s.Numbers(c.rx, c.tx)
		if !slices.Equal(got, c.want) || (err == nil) != (c.text == "") ||
			err != nil && !strings.HasPrefix(err.Error(), c.text) {
			t.Errorf("queues: %v, tx_queue: %v of %d RX and %d TX queues: %v, %v, want %v, %s", s.Queues, s.TxQueue, c.rx,
				c.tx, got, err, c.want, c.text)
		}
	}
}
