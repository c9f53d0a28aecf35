package negotiation

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"uelink/wire"
)

// TestScenarios runs testdata/*: one machine and its inputs. The commands:
//
//	configure static|dynamic [local] [remote]    drain is 2 s
//	agree [local] [remote]       LLDP has agreed on these directions
//	allow local|remote on|off    a command
//	outstanding N                N frames are unacknowledged from now on
//	receive                      a sequenced frame comes
//	unsequenced [handshake]      a frame without LLR comes
//	run D                        time passes; the machine is polled each 100 ms
//	deadline                     when it has something to do
//	state                        of both directions
//
// Each change is printed with its time.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &scenario{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.t, s.d = t, d
			do, ok := commands[d.Cmd]
			if !ok {
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			s.text.Reset()
			do(s)
			if s.text.Len() == 0 {
				return "ok"
			}
			return s.text.String()
		})
	})
}

var commands = map[string]func(*scenario){
	"configure": watched(func(s *scenario) {
		s.m.Configure(s.d.HasArg("dynamic"), s.both(), 2*time.Second, s.now)
	}),
	"agree":       watched(func(s *scenario) { s.m.ReceivedAgreement(s.both(), s.now) }),
	"allow":       watched((*scenario).allow),
	"outstanding": func(s *scenario) { s.done.Outstanding, _ = strconv.Atoi(s.d.CmdArgs[0].Key) },
	"receive":     func(s *scenario) { s.done.Received++ },
	"unsequenced": watched(func(s *scenario) { s.m.ReceivedUnsequenced(s.d.HasArg("handshake")) }),
	"run":         (*scenario).run,
	"deadline":    (*scenario).deadline,
	"state": func(s *scenario) {
		fmt.Fprintf(&s.text, "transmitter %v, receiver %v", s.m.Transmitter(), s.m.Receiver())
	},
}

// scenario is one file under way.
type scenario struct {
	t    *testing.T
	d    *datadriven.TestData
	m    Machine
	now  wire.Time
	done Progress
	text strings.Builder
}

func (s *scenario) both() Both { return Both{Local: s.d.HasArg("local"), Remote: s.d.HasArg("remote")} }

func (s *scenario) allow() {
	if s.d.HasArg("remote") {
		s.m.SetRemote(s.d.HasArg("on"), s.now)
		return
	}
	s.m.SetLocal(s.d.HasArg("on"), s.now)
}

func (s *scenario) run() {
	length, err := time.ParseDuration(s.d.CmdArgs[0].Key)
	if err != nil {
		s.t.Fatal(err)
	}
	for end := s.now.Add(length); s.now < end; {
		s.now = min(end, s.now.Add(100*time.Millisecond))
		watched(func(s *scenario) { s.m.Poll(s.done, s.now) })(s)
	}
}

// watched prints the changes that do makes.
func watched(do func(*scenario)) func(*scenario) {
	return func(s *scenario) {
		transmitter, receiver := s.m.Transmitter(), s.m.Receiver()
		do(s)
		s.tell("transmitter", transmitter, s.m.Transmitter())
		s.tell("receiver", receiver, s.m.Receiver())
	}
}

func (s *scenario) tell(what string, old, current State) {
	if old != current {
		fmt.Fprintf(&s.text, "%v %s %v -> %v\n", time.Duration(s.now), what, old, current)
	}
}

func (s *scenario) deadline() {
	text := "none"
	if at := s.m.Deadline(); at != wire.Never {
		text = "in " + at.Sub(s.now).Round(time.Millisecond).String()
	}
	s.text.WriteString(text)
}
