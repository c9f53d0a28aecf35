package attach

import (
	"encoding"
	"slices"
	"testing"
)

func TestQueuesInWords(t *testing.T) {
	for want, list := range map[string][]int{
		"all": nil, "0": {0}, "3": {3}, "0-1": {1, 0}, "0, 2": {0, 2}, "2, 4-7": {4, 5, 2, 7, 6}, "63-65": {63, 64, 65},
		"0-3, 1023": {0, 1, 2, 3, 1023},
	} {
		q := QueuesOf(list)
		if got := q.String(); got != want {
			t.Errorf("%v is %q, want %q", list, got, want)
		}
		slices.Sort(list)
		if !slices.Equal(q.List(), list) || q.Empty() != (list == nil) {
			t.Errorf("%v became %v", list, q.List())
		}
		for n := range MaxQueues {
			if q.Contains(n) != slices.Contains(list, n) {
				t.Errorf("%v: queue %d: %t", list, n, q.Contains(n))
			}
		}
	}
	if q := FirstQueues(3); q != QueuesOf([]int{0, 1, 2}) || q.Contains(-1) || q.Contains(MaxQueues) {
		t.Errorf("the first three are %v", q)
	}
	for want, m := range map[string]encoding.TextMarshaler{
		"1": QueuesOf([]int{1}), "auto": TxQueue{}, "0": TxQueue{Given: true},
	} {
		if text, err := m.MarshalText(); string(text) != want || err != nil {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
}
