package dcbx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios plays the files of testdata/scenario: two ports and what
// happens between them, with the states they go through, what they send and
// what they want done. `go test -rewrite` writes the answers anew.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenario", func(t *testing.T, path string) {
		s := &scenario{ports: map[string]*station{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.t, s.text = t, strings.Builder{}
			s.do(d)
			return s.text.String()
		})
	})
}

// station is a port with its pending output.
type station struct {
	name string
	port *Port
	out  Output
	due  bool // an LLDPDU is to be sent
}

// scenario is the state of one file.
type scenario struct {
	t     *testing.T
	ports map[string]*station
	text  strings.Builder
}

func (s *scenario) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

// station is the port that the first argument names.
func (s *scenario) station(d *datadriven.TestData) *station {
	p := s.ports[d.CmdArgs[0].Key]
	if p == nil {
		d.Fatalf(s.t, "no port %q", d.CmdArgs[0].Key)
	}
	return p
}

// peer is the other one of a and b.
func (s *scenario) peer(of *station) *station {
	if of.name == "a" {
		return s.ports["b"]
	}
	return s.ports["a"]
}

// do carries out one command.
func (s *scenario) do(d *datadriven.TestData) {
	switch d.Cmd {
	case "port": // a port with its local parameters
		p := &station{name: d.CmdArgs[0].Key, out: Output{Trace: true}}
		s.ports[p.name] = p
		local := Local{PG: basePG(), PFC: basePFC()}
		parseLocal(s.t, d, &local)
		p.port = must(NewPort(local, &p.out))(s.t)
		s.report(p)
	case "set": // local parameters change
		p := s.station(d)
		local := p.port.local()
		parseLocal(s.t, d, &local)
		if err := p.port.SetLocal(local, &p.out); err != nil {
			s.printf("%v\n", err)
		}
		s.report(p)
	case "show":
		s.show(s.station(d).port.Snapshot())
	case "run": // deliver what is due until nobody has anything to say
		s.run()
	default:
		s.input(s.station(d), d)
	}
}

// input is a command that is one input of one port.
func (s *scenario) input(p *station, d *datadriven.TestData) {
	switch d.Cmd {
	case "up":
		p.port.SetLink(true, &p.out)
	case "down":
		p.port.SetLink(false, &p.out)
	case "lldp":
		p.port.SetLLDP(d.HasArg("rx"), d.HasArg("tx"), &p.out)
	case "dcbx":
		p.port.SetEnabled(d.HasArg("on"), &p.out)
	case "send":
		s.send(p)
		return
	case "lose":
		s.printf("lost: %s\n", frame(s.t, p.port))
		p.due = false
		return
	case "receive":
		neighbors := 1
		d.MaybeScanArgs(s.t, "neighbors", &neighbors)
		p.port.Receive(neighbors, parsePayloads(s.t, d), &p.out)
	case "aged", "shutdown":
		left := 0
		d.MaybeScanArgs(s.t, "left", &left)
		p.port.NeighborDeleted(d.Cmd == "aged", left, &p.out)
	case "versions":
		for name, maxV := range map[string]*uint8{"control": &p.port.control.maxV, "pg": &p.port.pg.maxV,
			"pfc": &p.port.pfc.maxV} {
			d.MaybeScanArgs(s.t, name, maxV)
		}
	case "pretend": // that so many changes have gone by and were acknowledged
		s.pretend(p, d)
	default:
		d.Fatalf(s.t, "unknown command %q", d.Cmd)
	}
	s.report(p)
}

// pretend moves the numbers of an acknowledged port, and its peer's.
func (s *scenario) pretend(p *station, d *datadriven.TestData) {
	var seq uint32
	d.ScanArgs(s.t, "seq", &seq)
	c := &p.port.control
	if c.seq != c.rcvdAck {
		d.Fatalf(s.t, "port %s waits for an acknowledgement", p.name)
	}
	c.seq, c.rcvdAck = seq, seq
	s.peer(p).port.control.ack = seq
}

// send delivers the port's TLV to its peer.
func (s *scenario) send(p *station) {
	s.printf("%s sends: %s\n", p.name, frame(s.t, p.port))
	p.due = false
	var payloads [][]byte
	if payload, ok := p.port.AppendTLV(nil); ok {
		payloads = append(payloads, payload)
	}
	to := s.peer(p)
	to.port.Receive(1, payloads, &to.out)
	s.report(to)
}

// run sends in turn, and fails if it does not come to an end.
func (s *scenario) run() {
	for range 20 {
		idle := true
		for _, name := range []string{"a", "b"} {
			if p := s.ports[name]; p != nil && p.due {
				s.send(p)
				idle = false
			}
		}
		if idle {
			return
		}
	}
	s.t.Error("two ports do not come to rest")
}

// must is for a constructor in a test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
