package xsk

import "testing"

func TestExchange(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener string) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60, 61, 64, 1514}, nil)
		exchange(x, y, 20000, 32)
		t.Logf("%+v, %d kicks", a.Info(), a.Kicks())
		for _, s := range []*Socket{a, b} {
			stats, err := s.Stats()
			if err != nil || stats.RxDropped+stats.RxInvalidDescs+stats.TxInvalidDescs+stats.RxRingFull+stats.RxFillRingEmpty != 0 {
				t.Errorf("statistics %+v, %v", stats, err)
			}
		}
	})
}
