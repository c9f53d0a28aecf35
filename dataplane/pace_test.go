package dataplane

import "testing"

func TestPaceIsSmallAfterALossAndGrowsWithoutOne(t *testing.T) {
	p := pace{limit: batch}
	p.sent(10 * paceRun)
	if p.limit != batch {
		t.Errorf("%d frames a round without a loss, want a batch of %d", p.limit, batch)
	}
	p.lost()
	for want := paceLeast; want < batch; want *= 2 {
		p.sent(paceRun - 1)
		if p.limit != want {
			t.Errorf("%d frames a round before a run is over, want %d", p.limit, want)
		}
		p.sent(1)
	}
	if p.limit != batch {
		t.Errorf("%d frames a round long after a loss, want %d", p.limit, batch)
	}
	p.sent(paceRun - 1)
	p.lost()
	p.sent(1)
	if p.limit != paceLeast {
		t.Errorf("%d frames a round: what left before a loss counts", p.limit)
	}
}
