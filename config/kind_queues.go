package config

import (
	"fmt"

	"uelink/config/schema"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// queueCount returns the schema.Kind that parses a number n of RX queues, as the set of the first n.
func queueCount() schema.Kind[attach.Queues] {
	return schema.Mapped(schema.Whole(0, attach.MaxQueues), attach.FirstQueues)
}

// rxQueues returns the schema.Kind that parses an RX queue or a range of RX queues.
func rxQueues() schema.Kind[schema.Span] {
	const last = attach.MaxQueues - 1
	values := fmt.Sprintf("0 to %d, or a range such as 4-7", last)
	return schema.NewKind(values, schema.RangeJSON(0, last), func(s schema.Scalar) (schema.Span, error) {
		numbers, ok := schema.NumberRange(s.Text, last)
		if !ok {
			return schema.Span{}, fmt.Errorf("%q is not an RX queue: write %s", s.Text, values)
		}
		return numbers, nil
	})
}

// setQueues sets the RX queues of a port from a list, and returns an error for a queue listed twice.
func setQueues(p *model.PortSettings, list []schema.Span) error {
	p.Queues = attach.Queues{}
	for _, numbers := range list {
		for n := numbers.First; n <= numbers.Last; n++ {
			if p.Queues.Contains(n) {
				return fmt.Errorf("RX queue %d is there twice", n)
			}
			p.Queues.Add(n, n)
		}
	}
	return nil
}

// txQueue returns the schema.Kind that parses a TX queue, or the word auto.
func txQueue() schema.Kind[attach.TxQueue] {
	number := schema.Mapped(schema.Whole(0, attach.MaxQueues-1), func(n int) attach.TxQueue {
		return attach.TxQueue{Given: true, Number: n}
	})
	return schema.OrAuto(number)
}
