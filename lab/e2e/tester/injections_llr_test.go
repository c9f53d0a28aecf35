package tester

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// on returns the effect of a rule with this number of hits.
func on(rule string, hits uint64) effect { return effect{rule: rule, hits: hits} }

func (e effect) loses(names string) effect { e.lost = names; return e }
func (e effect) adds(names string) effect  { e.added = names; return e }
func (e effect) moves(names string) effect { e.moved = names; return e }

// struckBy returns an injection of one rule.
func struckBy(name string, do func(s *stage), e effect, check func(d [2]difference) string) injection {
	return injection{name: name, effects: []effect{e}, do: do, check: check}
}

// frames returns a stimulus: 30 frames from hostA, of which so many come to hostB.
func frames(arrive int) func(s *stage) { return func(s *stage) { s.probes(30, arrive, 0) } }

// burst is a stimulus: 30 frames from hostA at once, so that frames follow a lost one before it is sent again.
func burst(s *stage) { s.paced(30, 30, 0, 0) }

// reserved sends ten frames to a group address that no bridge passes on: they leave without a number.
func reserved(s *stage) {
	for range 10 {
		f := bed.Probe(s.sent, 100)
		copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, 0x0D})
		s.hosts[0].Send(f)
		s.sent++
		time.Sleep(pause)
	}
}

// initialised has A's transmitter begin anew.
func initialised(s *stage) { bed.Must(s.t, s.pair.A.Client.ReinitLLR(s.context(), "link0")) }

// one returns the first message of a list; ok is false if there is none.
func one(list []unit) (u unit, ok bool) {
	if len(list) == 0 {
		return u, false
	}
	return list[0], true
}

// bitsBetween returns how many bits differ between the lost and the added message of a way, -1 if their lengths do.
func bitsBetween(d difference) (n int) {
	a, okA := one(d.lost)
	b, okB := one(d.added)
	if !okA || !okB || len(a.octets) != len(b.octets) {
		return -1
	}
	for i := range len(a.octets) { // octets, not runes
		n += bits.OnesCount8(a.octets[i] ^ b.octets[i])
	}
	return n
}

// flips returns a check that so many bits are changed on the way from a or b.
func flips(way, n int) func(d [2]difference) string {
	return func(d [2]difference) string {
		if got := bitsBetween(d[way]); got != n {
			return fmt.Sprintf("%d bits differ, not %d: % x has become % x", got, n, d[way].lost[0].octets,
				d[way].added[0].octets)
		}
		return ""
	}
}

// octetDiffers returns a check that the octet at a place of a message is changed by a pattern, and with alone no other.
func octetDiffers(way, at int, pattern byte, alone bool) func(d [2]difference) string {
	return func(d [2]difference) string {
		a, b := d[way].lost[0].octets, d[way].added[0].octets
		if a[at]^b[at] != pattern || alone && bitsBetween(d[way]) != bits.OnesCount8(pattern) {
			return fmt.Sprintf("% x has become % x", a, b)
		}
		return ""
	}
}

// shifts returns a check that the first number in the text of a message is changed by n.
func shifts(way, n int) func(d [2]difference) string {
	return func(d [2]difference) string {
		for i, a := range d[way].lost {
			if b := d[way].added[i]; int(wire.SeqDistance(uint32(a.number()), uint32(b.number()))) != n&wire.SeqMask {
				return fmt.Sprintf("%s has become %s", a.text, b.text)
			}
		}
		return ""
	}
}

// late returns a check that each moved message was late by a time at least.
func late(way int, least time.Duration) func(d [2]difference) string {
	return func(d [2]difference) string {
		for _, m := range d[way].moved {
			if m.late < least {
				return fmt.Sprintf("%s was late by %v", m.text, m.late)
			}
		}
		return ""
	}
}

// passed returns a check that n frames have passed the moved message.
func passed(way, n int) func(d [2]difference) string {
	return func(d [2]difference) string {
		if got := d[way].moved[0].passed; got != n {
			return fmt.Sprintf("%d frames have passed it", got)
		}
		return ""
	}
}

// llrInjections are the actions on messages of LLR. Effects of rules on LLR_ACK, LLR_NACK and LLR_INIT include copies
// of STATION's items, without which the message alone in its frame is not understood.
var llrInjections = []injection{
	struckBy("data lost", frames(30), on("from=a kind=data nth=10 drop", 1).loses("data"), nil),
	struckBy("data lost in bursts", frames(30),
		on("from=a kind=data copy=first every=10 burst=2 first=4 drop", 4).loses("data"), nil),
	struckBy("data repeated", frames(30), on("from=a kind=data nth=10 duplicate=2", 1).adds("data,data"), nil),
	struckBy("data damaged, a random bit of the carried frame", frames(30),
		on("from=a kind=data nth=10 corrupt=40:10", 1).loses("data").adds("data bad"), octetDiffers(0, 40, 0x10, true)),
	struckBy("data damaged, checks repaired", frames(30),
		on("from=a kind=data nth=10 corrupt=40:10 fix", 1).loses("data").adds("data"), octetDiffers(0, 40, 0x10, false)),
	struckBy("data poisoned", frames(29),
		on("from=a kind=data nth=10 poison", 1).loses("data").adds("data poisoned"), flips(0, 32)),
	struckBy("data poisoned by a pattern", frames(30),
		on("from=a kind=data nth=10 poison=xor:80000001", 1).loses("data").adds("data bad"), flips(0, 2)),
	struckBy("data held", frames(30), on("from=a kind=data nth=10 hold=20ms", 1).moves("data"), late(0, 20*time.Millisecond)),
	{name: "data held until it is released", do: frames(30), free: true,
		effects: []effect{on("from=a kind=data nth=10 hold=released", 1).moves("data")}},
	struckBy("data out of order", burst, on("from=a kind=data nth=10 reorder=3", 1).moves("data"), passed(0, 3)),
	struckBy("data with another number", frames(30),
		on("from=a kind=data nth=10 rewrite=seq:+5", 1).loses("data").adds("data"), shifts(0, 5)),
	struckBy("data on another channel", frames(29),
		on("from=a kind=data nth=10 rewrite=vc:9", 1).loses("data").adds("data"), nil),
	struckBy("data with another carried frame", frames(30),
		on("from=a kind=data nth=10 rewrite=inner:20:AB", 1).loses("data").adds("data"), nil),
	struckBy("data replayed", frames(30), on("from=a kind=data nth=10 replay=5", 1).adds("data"), nil),
	struckBy("data counted", frames(30), on("from=a kind=data copy=first count", 30), nil),
	struckBy("data without a number lost", reserved, on("from=a kind=plain nth=3 drop", 1).loses("plain"), nil),
	struckBy("data without a number damaged", reserved,
		on("from=a kind=plain nth=3 corrupt=40:01", 1).loses("plain").adds("plain bad"), octetDiffers(0, 40, 1, true)),

	struckBy("LLR_ACK lost", frames(30), on("from=b kind=ack every=3 first=5 drop", 5).loses("LLR_ACK"), nil),
	struckBy("LLR_ACK late", frames(30),
		on("from=b kind=ack nth=3 hold=20ms", 1).moves("LLR_ACK").adds("STATION twice"), late(1, 20*time.Millisecond)),
	struckBy("LLR_ACK repeated", frames(30),
		on("from=b kind=ack nth=3 duplicate=2", 1).adds("LLR_ACK,LLR_ACK,STATION twice,STATION twice"), nil),
	struckBy("LLR_ACK damaged", frames(30),
		on("from=b kind=ack nth=3 corrupt=3:01", 1).loses("LLR_ACK").adds("LLR_ACK wrong CRC"), octetDiffers(1, 3, 1, true)),
	struckBy("LLR_ACK with another number", frames(30),
		on("from=b kind=ack nth=5 rewrite=seq:-3", 1).loses("LLR_ACK").adds("LLR_ACK"), shifts(1, -3)),
	struckBy("LLR_ACK as LLR_NACK", frames(30),
		on("from=b kind=ack nth=3 rewrite=type:nack", 1).loses("LLR_ACK").adds("LLR_NACK"), shifts(1, 0)),
	struckBy("LLR_ACK replayed", frames(30),
		on("from=b kind=ack nth=9 replay=3", 1).adds("LLR_ACK,STATION twice"), nil),
	struckBy("LLR_ACK made", frames(30), on("from=b inject=ack:-2 first=3", 3).adds("LLR_ACK"), nil),
	struckBy("LLR_NACK made", frames(30), on("from=b inject=nack:-2 first=2", 2).adds("LLR_NACK"), nil),
	struckBy("an ordered set of an unknown type made", frames(30),
		on("from=b inject=set:4B7F000006000000", 1).adds("Control ordered set"), nil),
	struckBy("a frame made", frames(30),
		on("from=b inject=frame:FFFFFFFFFFFF02000000000190000000000000000000000000000000000000000000000000000000"+
			"0000000000000000000000000000000000000000", 1).adds("LOOP"), nil),
	struckBy("a control frame lost", frames(30), on("from=b kind=control nth=5 drop", 1).loses("*"), wholeFrame),

	{name: "LLR_NACK lost", do: burst, effects: []effect{
		on("from=a kind=data nth=10 drop", 1).loses("data"), on("from=b kind=nack first=1 drop", 1).loses("LLR_NACK"),
	}},
	{name: "LLR_NACK late", do: burst, check: late(1, 10*time.Millisecond), effects: []effect{
		on("from=a kind=data nth=10 drop", 1).loses("data"),
		on("from=b kind=nack first=1 hold=10ms", 1).moves("LLR_NACK").adds("STATION twice"),
	}},
	{name: "LLR_NACK repeated", do: burst, effects: []effect{
		on("from=a kind=data nth=10 drop", 1).loses("data"),
		on("from=b kind=nack first=1 duplicate", 1).adds("LLR_NACK,STATION twice"),
	}},
	{name: "LLR_NACK with another number", do: burst, check: shifts(1, -1), effects: []effect{
		on("from=a kind=data nth=10 drop", 1).loses("data"),
		on("from=b kind=nack first=1 rewrite=seq:-1", 1).loses("LLR_NACK").adds("LLR_NACK"),
	}},

	struckBy("LLR_INIT lost", initialised, on("from=a kind=init first=2 drop", 2).loses("LLR_INIT"), nil),
	struckBy("LLR_INIT repeated", initialised,
		on("from=a kind=init first=1 duplicate", 1).adds("LLR_INIT,STATION start"), nil),
	struckBy("LLR_INIT late", initialised,
		on("from=a kind=init first=1 hold=5ms", 1).moves("LLR_INIT").adds("STATION start"), late(0, 5*time.Millisecond)),
	struckBy("LLR_INIT_ECHO lost", initialised, on("from=b kind=init_echo first=2 drop", 2).loses("LLR_INIT_ECHO"), nil),
	struckBy("LLR_INIT_ECHO made up", initialised,
		on("from=b kind=init_echo first=1 rewrite=init_data:DEAD", 1).loses("LLR_INIT_ECHO").adds("LLR_INIT_ECHO"),
		func(d [2]difference) string {
			if b := d[1].added[0].octets; b[5] != 0xDE || b[6] != 0xAD {
				return fmt.Sprintf("% x", b)
			}
			return ""
		}),
	struckBy("STATION's start id lost", initialised,
		on("from=a kind=station item=1 first=1 drop", 1).loses("STATION start"), nil),
}

// wholeFrame checks that the lost messages are as many as a frame had. Which of two equal ones is lost nobody knows.
func wholeFrame(d [2]difference) string {
	if !slices.ContainsFunc(d[1].lost, func(u unit) bool { return u.count == len(d[1].lost) }) {
		return fmt.Sprintf("%d messages are lost", len(d[1].lost))
	}
	return ""
}

// Each injection of LLR, CBFC and LLDP does to the wire what its rule says, and nothing else: by tshark, on captures
// of both ends.
func TestInjectionsOfLLR(t *testing.T) {
	needsTshark(t)
	s := newStage(t, func(capture string) bed.Configuration {
		return bed.Settings{
			Profile: "max_replay_timer: 50ms, max_replay_count: 255, hold_timeout: 0, init_action: block, flush_action: block",
			Link: "fcs: true, capture: " + capture +
				", cbfc: {mode: static, credit_timeout: 100ms, vcs: [{index: 3, lossless: true, limit: 64}]}",
			Edge: "qos: {trust: dot1p}, pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 1024, rate: 1Gbps}",
		}
	})
	s.pair.Advance()
	list := slices.Concat(llrInjections, creditInjections)
	s.run(list, s.asBefore)
	judge(t, list, s.ends())
}

// asBefore returns why the link is not as before an injection, in words.
func (s *stage) asBefore() string {
	if problem := s.atRest(); problem != "" {
		return problem
	}
	return s.credited()
}

// atRest returns why LLR does not run both ways, or has frames outstanding, in words.
func (s *stage) atRest() string {
	if problem := s.pair.A.Advances() + s.pair.B.Advances(); problem != "" {
		return problem
	}
	for _, d := range []*bed.Daemon{s.pair.A, s.pair.B} {
		if n := d.LLR().OutstandingFrames; n > 0 {
			return fmt.Sprintf("%s: %d frames outstanding", d.Name, n)
		}
	}
	return ""
}
