package path

import (
	"testing"
	"time"
)

// Whether data frames have an FCS image changes at one end, and then at the other, in the midst of traffic: what was
// sent before is sent again as it was, and each frame is delivered once and in order.
func TestFCSImagesBeginAndEndInPlace(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.profile.ReInitOnFlush = false
	p := up(t, o)
	rounds := 0
	err := p.runWith(3000, 60*time.Second, func() {
		if rounds++; rounds%50 != 0 {
			return
		}
		e := []*end{p.a, p.b}[rounds/50%2]
		s := e.l.Port.settings
		s.FCS = !s.FCS
		e.x.Configure(&e.l.Port, s, o.profile, p.now)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*end{p.a, p.b} {
		if c := e.l.LLR.Counters(); e.gaps != 0 || c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 {
			t.Errorf("end %s: %d frames never came; %+v", e.name, e.gaps, c)
		}
	}
	if rounds < 200 {
		t.Errorf("%d rounds: the test shows nothing", rounds)
	}
}
