package attach

import (
	"math/bits"
	"strconv"
	"strings"
)

// MaxQueues is the most RX queues that an interface may have here, numbered 0 to MaxQueues-1.
const MaxQueues = 1024

// Queues is a set of RX queues, as a bitmap. As a setting of the queues that get a socket, the empty set means all
// queues of the interface.
type Queues [MaxQueues / 64]uint64

// FirstQueues returns the set of the queues 0 to n-1; n is at most MaxQueues.
func FirstQueues(n int) (q Queues) {
	for i := range n {
		q.Add(i, i)
	}
	return q
}

// QueuesOf returns the set of the listed queues, each from 0 to MaxQueues-1.
func QueuesOf(list []int) (q Queues) {
	for _, n := range list {
		q.Add(n, n)
	}
	return q
}

// Add adds the queues from first to last to the set, both from 0 to MaxQueues-1.
func (q *Queues) Add(first, last int) {
	for n := first; n <= last; n++ {
		q[n/64] |= 1 << (n % 64)
	}
}

// Contains reports whether queue n is in the set.
func (q Queues) Contains(n int) bool { return n >= 0 && n < MaxQueues && q[n/64]>>(n%64)&1 == 1 }

// Empty reports whether the set of queues is empty.
func (q Queues) Empty() bool { return q == Queues{} }

// List returns the queues in the set in ascending order.
func (q Queues) List() (list []int) {
	for i, word := range q {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*i+bits.TrailingZeros64(word))
		}
	}
	return list
}

// Without returns the set of the queues of q that are not in other.
func (q Queues) Without(other Queues) Queues {
	for i := range q {
		q[i] &^= other[i]
	}
	return q
}

// String returns the queues as written in the configuration, such as "2, 4-7"; "all" for the empty set.
func (q Queues) String() string {
	var parts []string
	list := q.List()
	for i := 0; i < len(list); {
		first := i
		for i++; i < len(list) && list[i] == list[i-1]+1; i++ {
		}
		part := strconv.Itoa(list[first])
		if i-first > 1 {
			part += "-" + strconv.Itoa(list[i-1])
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ", ")
}

// MarshalText returns the queues as written in the configuration, such as "2, 4-7" or "all", as octets. The error is
// always nil.
func (q Queues) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// TxQueue is the queue that frames leave by. The zero value is the first queue with a socket.
type TxQueue struct {
	Given  bool
	Number int // if Given, 0 to MaxQueues-1
}

// String returns the TX queue as in the configuration: "auto" or its number.
func (t TxQueue) String() string {
	if !t.Given {
		return "auto"
	}
	return strconv.Itoa(t.Number)
}

// MarshalText returns "auto" or the number of the TX queue as octets. The error is always nil.
func (t TxQueue) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
