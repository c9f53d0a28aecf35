package ieee

import (
	"slices"
	"testing"
)

// flowPart is the part of an end's state that PFC is about.
type flowPart struct {
	running, willing, without bool
	own                       uint8
	heard                     bool // there is a PFC TLV of the peer
	peer                      PFC
	source                    MAC // its sender
	operates                  uint8
	agreed                    bool
}

func (e *end) flowPart() flowPart {
	p := e.port
	s := flowPart{running: p.running, willing: p.local.PFC.Willing, without: p.local.WithoutPFC, own: p.local.PFC.Enable,
		operates: p.outcome.PFC, agreed: p.outcome.PFCAgreed}
	if p.remote.PFC != nil {
		s.heard, s.peer, s.source = true, *p.remote.PFC, p.remoteMAC
	}
	return s
}

// sharingPart is the part of an end's state that ETS is about.
type sharingPart struct {
	running, willing, without bool
	recommends                ETS
	configured, recommended   bool // there is such a TLV of the peer
	configuration             Configuration
	recommendation            ETS
	operates                  ETS
	adopted                   bool
}

func (e *end) sharingPart() sharingPart {
	p := e.port
	s := sharingPart{running: p.running, willing: p.local.ETS.Willing, without: p.local.WithoutETS,
		recommends: p.local.Recommendation, operates: p.outcome.ETS, adopted: p.outcome.ETSAdopted}
	if c := p.remote.Configuration; c != nil {
		s.configured, s.configuration = true, *c
	}
	if r := p.remote.Recommendation; r != nil {
		s.recommended, s.recommendation = true, *r
	}
	return s
}

// step is a move, with the part of both ends before it.
type step[Part comparable] struct {
	parts [2]Part
	move  int
}

// depends checks that the part of both ends after a move follows from the part before it.
type depends[Part comparable] map[step[Part]][2]Part

func (d depends[Part]) check(t *testing.T, about string, move int, before, after [2]Part) {
	t.Helper()
	s := step[Part]{before, move}
	if other, ok := d[s]; ok && other != after {
		t.Fatalf("%s: move %d leads from\n%+v\nto\n%+v\nand to\n%+v", about, move, before, other, after)
	}
	d[s] = after
}

// PFC and ETS are machines of their own: after any move, in any state of both together, the part of PFC follows from
// its part before, whatever ETS is at, and the other way round. So every state of both together is made of a state of
// each, and what holds in all states of each, which TestTwoEndsSettleFromEveryState visits, holds in all states of
// both. Their product, 35,200 by 100,800 states, need not be visited. What both share are the inputs (sharedMoves), and
// the words for a fault.
func TestPFCAndETSAreIndependent(t *testing.T) {
	const states = 4000 // of both together, the nearest to the start
	moves := slices.Concat(sharedMoves, flowMoves, sharingMoves)
	flow, sharing := depends[flowPart]{}, depends[sharingPart]{}
	type pair struct{ a, b *end }
	list, seen := []pair{{newEnd(0x0a, first(true)), newEnd(0x0b, second(true))}}, map[[2]state]bool{}
	for i := 0; i < len(list) && i < states; i++ {
		from := list[i]
		for n := range 2 * len(moves) {
			to := pair{from.a.copied(), from.b.copied()}
			if n%2 == 0 {
				moves[n/2](to.a, to.b)
			} else {
				moves[n/2](to.b, to.a)
			}
			flow.check(t, "PFC", n, [2]flowPart{from.a.flowPart(), from.b.flowPart()},
				[2]flowPart{to.a.flowPart(), to.b.flowPart()})
			sharing.check(t, "ETS", n, [2]sharingPart{from.a.sharingPart(), from.b.sharingPart()},
				[2]sharingPart{to.a.sharingPart(), to.b.sharingPart()})
			if key := [2]state{to.a.state(), to.b.state()}; !seen[key] && len(list) < states {
				seen[key] = true
				list = append(list, to)
			}
		}
	}
	t.Logf("%d states of both: %d steps of PFC, %d of ETS", len(list), len(flow), len(sharing))
}
