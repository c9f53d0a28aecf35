package tester

import (
	"fmt"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/llr"
)

// forgery is a rule that forges something, and what must come of it for 300 frames from hostA to hostB.
type forgery struct {
	rules   []string
	lost    uint64 // frames of the host
	changed uint64 // delivered with other octets
	more    bool   // more may be lost
	counts  func(a, b llr.Counters) uint64
	name    string // of the counts, in words; at least one
}

// forgeries are rules that forge, each with its result. FCS and CRC are right after a rewrite: nothing can tell.
var forgeries = []forgery{
	{rules: []string{"from=a kind=data nth=50 poison"}, lost: 1, name: "B RX_EXPECTED_SEQ_POISONED",
		counts: func(_, b llr.Counters) uint64 { return b.RxExpectedSeqPoisoned }},
	{rules: []string{"from=a kind=data nth=50 rewrite=seq:+5"}, name: "B RX_MISSING_SEQ",
		counts: func(_, b llr.Counters) uint64 { return b.RxMissingSeq }},
	{rules: []string{"from=a kind=data nth=50 rewrite=vc:9"}, lost: 1, name: "B RX_EXPECTED_SEQ_GOOD",
		counts: func(_, b llr.Counters) uint64 { return b.RxExpectedSeqGood }},
	{rules: []string{"from=a kind=data nth=50 rewrite=inner:60:AB"}, changed: 1, name: "B RX_EXPECTED_SEQ_GOOD",
		counts: func(_, b llr.Counters) uint64 { return b.RxExpectedSeqGood }},
	{rules: []string{"from=a kind=data nth=50 replay=5"}, name: "B RX_DUPLICATE_SEQ",
		counts: func(_, b llr.Counters) uint64 { return b.RxDuplicateSeq }},
	{rules: []string{"from=b kind=ack nth=3 rewrite=seq:+1000"}, name: "A LLR_ACKs that fit no frame",
		counts: func(a, _ llr.Counters) uint64 { return a.RxAckNackSeqError }},
	{rules: []string{"from=b kind=ack nth=3 replay=1"}, name: "A LLR_ACKs that fit no frame",
		counts: func(a, _ llr.Counters) uint64 { return a.RxAckNackSeqError }},
	{rules: []string{"from=b inject=ack:+1000 first=3"}, name: "A LLR_ACKs that fit no frame",
		counts: func(a, _ llr.Counters) uint64 { return a.RxAckNackSeqError }},
	{rules: []string{"from=a inject=init:+100:ABCD"}, name: "B LLR_INITs that are not the partner's",
		counts: func(_, b llr.Counters) uint64 { return b.RxInitStale }},
	{rules: []string{"from=b inject=init_echo:+1:ABCD"}, name: "A LLR_INIT_ECHOs that are not for it",
		counts: func(a, _ llr.Counters) uint64 { return a.RxInitEchoMismatch }},
	// An LLR_ACK for a frame that was lost: A has let go of it, and B asks for it in vain, until A begins anew.
	{rules: []string{"from=a kind=data seq=+50 drop", "from=b kind=ack,nack,gap first=200 rewrite=seq:+60"},
		more: true, name: "A initialises again, or has LLR_ACKs that fit no frame",
		counts: func(a, _ llr.Counters) uint64 { return a.TxReinit + a.RxAckNackSeqError }},
}

// What forged messages do is known for each: most are counted and cost nothing, some cost the frame that they forge.
// Nothing is delivered twice, and the link works afterwards.
func TestForgedMessages(t *testing.T) {
	s := newStage(t, patient("go_back_n"))
	s.pair.Advance()
	for _, f := range forgeries {
		t.Run(f.rules[len(f.rules)-1], func(t *testing.T) {
			s.t = t
			before := [2]llr.Counters{s.pair.A.LLRCounters(), s.pair.B.LLRCounters()}
			var ids []string
			for _, text := range f.rules {
				ids = append(ids, s.add(text))
			}
			s.hosts[1].Drain()
			for i := range uint32(300) {
				s.hosts[0].Send(bed.Probe(i, 100))
				if i%20 == 19 {
					time.Sleep(pause) // so that B acknowledges often enough for the rules
				}
			}
			last, delivered, changed := -1, uint64(0), uint64(0)
			bed.Eventually(t, "the frames at hostB", func() string {
				for p := s.hosts[1].Next(); p != nil; p = s.hosts[1].Next() {
					if !isProbe(p) {
						continue
					}
					n := int(bed.ProbeNumber(p))
					if n <= last {
						t.Errorf("frame %d after %d", n, last)
					}
					last = n
					if delivered++; string(p) != string(bed.Probe(uint32(n), 100)) {
						changed++
					}
				}
				if s.rules()[ids[0]].Hits == 0 || delivered < 300-f.lost && !f.more {
					return fmt.Sprintf("%d, hits %+v", delivered, s.rules()[ids[0]].Hits)
				}
				return ""
			})
			counted := uint64(0)
			bed.Eventually(t, f.name, func() string {
				counted = f.counts(less(s.pair.A.LLRCounters(), before[0]), less(s.pair.B.LLRCounters(), before[1]))
				if counted == 0 {
					return "none"
				}
				return ""
			})
			if !f.more && delivered != 300-f.lost || changed != f.changed {
				t.Errorf("%d delivered, %d changed, %s: %d", delivered, changed, f.name, counted)
			}
			t.Logf("%d of 300 delivered, %d changed; %s: %d", delivered, changed, f.name, counted)
			for _, id := range ids {
				bed.Must(t, s.control.Delete(s.context(), id))
			}
			s.pair.Advance()
			bed.Eventually(t, "the link is as before", s.atRest)
		})
	}
	s.t = t
	s.probes(30, 30, 0)
}

// less returns what the counters that this test looks at have grown by.
func less(now, before llr.Counters) llr.Counters {
	now.RxExpectedSeqPoisoned -= before.RxExpectedSeqPoisoned
	now.RxExpectedSeqGood -= before.RxExpectedSeqGood
	now.RxMissingSeq -= before.RxMissingSeq
	now.RxDuplicateSeq -= before.RxDuplicateSeq
	now.RxAckNackSeqError -= before.RxAckNackSeqError
	now.RxInitStale -= before.RxInitStale
	now.RxInitEchoMismatch -= before.RxInitEchoMismatch
	now.TxReinit -= before.TxReinit
	return now
}
