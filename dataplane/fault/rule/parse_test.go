package rule

import (
	"errors"
	"strings"
	"testing"
)

var names = [2]string{"wa", "wb"}

func TestErrorsHaveTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "column 1: an action is missing",
		"kind=daat drop":                     `column 1, "kind=daat": "daat" is not a kind: is data meant?`,
		"from=c drop":                        `column 1, "from=c": "c" is not an interface of the cable: write a, b, wa or wb`,
		"kind=data  nht=5 drop":              `column 12, "nht=5": unknown word: is nth meant?`,
		"drop drop":                          `column 6, "drop": the rule has this word twice, and may have it only once`,
		"drop count":                         `column 6, "count": a rule has one action, and it has drop already`,
		"nth=1 every=2 drop":                 "column 19: a rule has only one of nth, every and p",
		"p=0 drop":                           `column 1, "p=0": a share is more than 0`,
		"p=5 drop":                           `column 1, "p=5": a share is more than 0`,
		"seq=1048576 drop":                   `column 1, "seq=1048576": "1048576" is not a sequence number`,
		"seq=..2 drop":                       `column 1, "seq=..2": "" is not a sequence number`,
		"seq=+1..2 drop":                     `column 1, "seq=+1..2": both ends`,
		"octets=12 drop":                     `column 1, "octets=12": "12" is not AT:HEX`,
		"octets=12:8 drop":                   `column 1, "octets=12:8": "8" is not octets in hex`,
		"octets=12:88/ffff drop":             `column 1, "octets=12:88/ffff": the mask "ffff"`,
		"inner=99999:88 drop":                `column 1, "inner=99999:88": "99999:88" is not AT:HEX`,
		"hold=2h":                            `column 1, "hold=2h": hold takes a time`,
		"hold=soon":                          `column 1, "hold=soon": hold takes a time`,
		"duplicate=0":                        `column 1, "duplicate=0": duplicate takes a number from 1 to 1000`,
		"reorder=257":                        `column 1, "reorder=257": reorder takes`,
		"rewrite=size:4":                     `column 1, "rewrite=size:4": rewrite takes FIELD:VALUE`,
		"rewrite=type:data":                  `column 1, "rewrite=type:data": "data" is not a kind of control`,
		"kind=ack poison":                    "column 16: poison is for frames with an FCS image",
		"kind=data poison=aa":                `column 11, "poison=aa": poison takes xor:`,
		"!nth=3 drop":                        `column 1, "!nth=3": ! is for conditions`,
		"drop=5":                             `column 1, "drop=5": drop has no value`,
		"kind= drop":                         `column 1, "kind=": a value is missing: kind=...`,
		"fix drop":                           "column 9: fix is for corrupt",
		"vc=32 drop":                         `column 1, "vc=32": "32" is neither a number nor a range`,
		"id=a.b drop":                        `column 1, "id=a.b": a name has letters`,
		"inject=ack:5":                       "column 13: inject needs the interface",
		"from=a kind=ack inject=ack:5":       "column 29: inject takes only the condition from=",
		"from=a nth=3 inject=ack:5":          "column 26: besides from, inject takes only first=N",
		"from=a inject=ack":                  `column 8, "inject=ack": inject takes ack:SEQ`,
		"from=a inject=set:4b01":             `column 8, "inject=set:4b01": a control ordered set must have exactly 8 octets`,
		"kind=data spacing=1ms drop":         "column 27: spacing is for inject",
		"kind=data !kind=data drop":          "column 26: the kind conditions exclude every kind of message",
		strings.Repeat("x", MaxText+1):       "column 16385: a rule has at most 16384 octets",
		strings.Repeat("x", 100) + "=1 drop": `column 1, "` + strings.Repeat("x", 40) + `": unknown word`,
	} {
		_, err := Parse(text, names)
		var parsed *ParseError
		if !errors.As(err, &parsed) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

// The rules that docs/TESTER.md and the plan of SONiC use are right.
func TestRulesOfThePlan(t *testing.T) {
	for _, text := range []string{
		"from=a kind=data copy=first p=5% drop", "from=a kind=data nth=50 drop", "from=b kind=ack seq=+1.. for=100ms drop",
		"from=b kind=ack hold=20ms", "from=a kind=data every=100 copy=first corrupt", "from=b kind=ack hold=released",
		"from=a kind=data seq=+50 drop", "from=a kind=data copy=first nth=101 burst=100 drop", "kind=data p=2% drop",
		"from=a kind=data,plain p=2% drop", "id=p from=b kind=cf_update vc=3 drop",
		"on=p from=a kind=data vc=3 copy=first first=1 drop", "from=b kind=ack for=100ms drop", "kind=init_echo first=3 drop",
		"kind=data duplicate=3", "kind=data poison", "kind=data poison=xor:aaaaaaaa", "kind=ack rewrite=seq:7",
		"kind=cf_update rewrite=credit:+5", "kind=pfc pri=3 drop", "kind=pfc rewrite=quanta:65535", "kind=lldp every=2 drop",
		"reorder=3", "replay=5", "kind=hippi.credit_only drop", "kind=station item=1 drop", "kind=dcbx drop", "seq=next count",
	} {
		if _, err := Parse(text, names); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// No text and no frame makes the rules panic, and nothing leaves that is longer than what came.
func FuzzRule(f *testing.F) {
	for _, text := range []string{"kind=data seq=+1.. p=50% corrupt=3:ff fix", "kind=ack,nack duplicate=2",
		"kind=hippi.data,hippi.credit_only reorder=2", "rewrite=octets:20:ffff", "kind=control replay=1",
		"kind=cf_update rewrite=credit:+5", "kind=cc_update rewrite=credit:9", "kind=pfc rewrite=quanta:1",
		"kind=native rewrite=inner:50:00", "from=a inject=nack:+1", "kind=station hold=1ms", "kind=dcbx corrupt"} {
		f.Add(text, data(5))
		f.Add(text, control(ack(1), cf(2, 3), nack(4)))
	}
	f.Fuzz(func(t *testing.T, text string, frame []byte) {
		r, err := Parse(text, names)
		if err != nil || len(frame) > 4096 || r.n > 10 {
			return
		}
		b := newBed(t)
		if _, err := b.Add(r, b.now); err != nil {
			t.Fatal(err)
		}
		b.send(0, control(ack(1)))
		for range 3 {
			for _, out := range b.send(0, frame) {
				if len(out) > len(frame) && len(out) > wireLongest {
					t.Fatalf("%d octets of %d", len(out), len(frame))
				}
			}
		}
		b.wait(MaxHold)
		b.Release(b.Statuses(b.now)[0].ID, b.now)
		if b.drain(0); b.Waiting() != 0 {
			t.Fatalf("%d frames stay", b.Waiting())
		}
	})
}

// wireLongest is the longest frame that a rule of the fuzz test makes.
const wireLongest = MaxText / 2
