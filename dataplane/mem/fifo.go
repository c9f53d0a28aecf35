package mem

// fifo is a queue of bounded length in a ring, like each of AF_XDP's four rings.
type fifo[T any] struct {
	slots []T // the length is a power of two
	head  uint32
	tail  uint32
}

func newFIFO[T any](entries int) fifo[T] {
	n := 1
	for n < entries {
		n *= 2
	}
	return fifo[T]{slots: make([]T, n)}
}

func (q *fifo[T]) at(i uint32) *T { return &q.slots[i&uint32(len(q.slots)-1)] }

func (q *fifo[T]) len() int { return int(q.tail - q.head) }

func (q *fifo[T]) push(v T) {
	*q.at(q.tail) = v
	q.tail++
}

func (q *fifo[T]) pop() T {
	v := *q.at(q.head)
	q.head++
	return v
}

// bringForward swaps the first entry of the queue with the entry i places behind it.
func (q *fifo[T]) bringForward(i int) {
	a, b := q.at(q.head), q.at(q.head+uint32(i))
	*a, *b = *b, *a
}
