package lldp_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"uelink/internal/snapshot/snapshottest"
	"uelink/lldp"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

const second = 1_000_000_000

// sent is a frame and when it was sent, in seconds from the start.
type sent struct {
	at    wire.Time
	frame []byte
}

// station is an agent with a clock of its own.
type station struct {
	*lldp.Agent
	now       wire.Time
	frames    []sent
	events    []lldp.Event
	providers []lldp.Provider
}

var (
	macA = wire.MAC{0x02, 0, 0, 0, 0, 0xA}
	macB = lldptest.Source
)

// localOf is a small local system: chassis id is the address, port id a name.
func localOf(mac wire.MAC, port string) lldp.Local {
	return lldp.Local{Source: mac,
		Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: slices.Clone(mac[:])},
		Port:    lldp.PortID{Subtype: lldp.PortIfName, ID: []byte(port)}}
}

func newStation(mac wire.MAC, providers ...lldp.Provider) *station {
	c := lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers()}
	return &station{Agent: lldp.NewAgent(c, lldp.RxTx, localOf(mac, "eth0"), providers...), providers: providers}
}

// up is a station whose port works since time 0.
func up(mac wire.MAC, providers ...lldp.Provider) *station {
	s := newStation(mac, providers...)
	s.SetPortEnabled(true)
	s.poll()
	return s
}

// poll lets the machines run until they wait.
func (s *station) poll() {
	for range 100 {
		var out []byte
		out, s.events = s.Poll(s.now, nil, s.events)
		if out != nil {
			s.frames = append(s.frames, sent{s.now / second, out})
		}
		s.renew()
		if s.Deadline() > s.now {
			return
		}
	}
	panic("the machines do not come to rest")
}

// renew replaces the agent by another with the same state: nothing may change.
func (s *station) renew() {
	fresh := lldp.NewAgent(lldp.Config{}, lldp.Off, lldp.Local{}, s.providers...)
	if err := snapshottest.Renew(s.Agent, fresh); err != nil {
		panic(err)
	}
	s.Agent = fresh
}

// runTo lets time pass, polling at the deadlines only.
func (s *station) runTo(seconds int) {
	end := wire.Time(seconds) * second
	for s.Deadline() <= end {
		s.now = max(s.now, s.Deadline())
		s.poll()
	}
	s.now = end
}

func (s *station) hear(frame []byte) {
	s.events = s.Receive(frame, s.now, s.events)
	s.poll()
}

// times are when frames were sent.
func (s *station) times() []wire.Time {
	var t []wire.Time
	for _, f := range s.frames {
		t = append(t, f.at)
	}
	return t
}

// kinds are the events so far, in words.
func (s *station) kinds() string {
	var words []string
	for _, e := range s.events {
		words = append(words, strings.TrimSpace(e.Kind.String()+" "+e.Cause.String()))
	}
	return strings.Join(words, ", ")
}

func (s *station) neighbors() []lldp.Neighbor { return s.Neighbors(nil) }

// pduOf is the LLDPDU in a frame that has to be good.
func pduOf(t testing.TB, frame []byte) *lldp.PDU {
	t.Helper()
	f, fault := lldp.ParseFrame(frame)
	var p lldp.PDU
	if fault == lldp.NoFault {
		fault = p.Parse(f.PDU)
	}
	if fault != lldp.NoFault {
		t.Fatalf("%v: % X", fault, frame)
	}
	return &p
}

var tlv, raw, frameB = lldptest.TLV, lldptest.Frame, lldptest.Good

var chassisB, portB, ttl120, end = lldptest.Chassis(), lldptest.Port(), lldptest.TTL(120), lldptest.End()

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
