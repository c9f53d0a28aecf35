package mem

// fifo is a queue of bounded length in a ring, as each of AF_XDP's four is.
type fifo[T any] struct {
	slots []T // a power of two of them
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

// bringForward puts the entry that is i behind the head in the head's place.
func (q *fifo[T]) bringForward(i int) {
	a, b := q.at(q.head), q.at(q.head+uint32(i))
	*a, *b = *b, *a
}
