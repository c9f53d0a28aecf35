package trouble

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

// Drops begin with the first drop and end after a while without a drop. A counter that was cleared begins again.
func TestDropping(t *testing.T) {
	var d Dropping
	for i, c := range []struct {
		count       uint64
		now         int64
		began, over bool
		lost        uint64
	}{
		{0, 1, false, false, 0}, {3, 2, true, false, 3}, {5, 9, false, false, 5}, {5, 19, false, false, 5},
		{5, 20, false, true, 5}, {6, 21, true, false, 1}, {0, 22, false, false, 0}, {2, 23, false, false, 2},
	} {
		if began, over := d.Changes(c.count, c.now, 10); began != c.began || over != c.over || d.Lost() != c.lost {
			t.Errorf("check %d: began %t, over %t, %d lost; want %+v", i, began, over, d.Lost(), c)
		}
	}
	if d.Settle(7); d.Now || d.Seen != 7 {
		t.Errorf("settled: %+v", d)
	}
}

// The saved state has every field.
func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return &Dropping{} })
}
