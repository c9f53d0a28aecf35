package lldp_test

import (
	"fmt"
	"reflect"
	"testing"

	"uelink/lldp"
	"uelink/wire"
)

// echo is a provider that records the calls of its methods.
type echo struct {
	reported []string
	change   bool
	value    []byte
}

func (e *echo) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return oui == lldp.OUI{1, 2, 3} && subtype == 4
}

func (e *echo) PortChanged(s lldp.PortStatus, now wire.Time) bool {
	e.reported = append(e.reported, fmt.Sprintf("%d: port %v %v", now/second, s.Enabled, s.Admin))
	return e.change
}

func (e *echo) NeighborSeen(s lldp.Sighting, now wire.Time) bool {
	word := "same"
	switch {
	case s.Gone != lldp.NotGone:
		word = s.Gone.String()
	case s.New:
		word = "new"
	case s.Changed:
		word = "changed"
	}
	e.reported = append(e.reported, fmt.Sprintf("%d: %s with %d TLVs, %d there, %v", now/second, word, len(s.Subject.Org),
		len(s.Neighbors), s.TooMany))
	return e.change
}

func (e *echo) AppendTLVs(list []lldp.Org) []lldp.Org {
	return append(list, lldp.Org{OUI: lldp.OUI{1, 2, 3}, Subtype: 4, Info: e.value})
}

func TestProviderHearsEverything(t *testing.T) {
	e := &echo{value: []byte("v")}
	s := newStation(macA, e)
	s.poll()
	s.SetPortEnabled(true)
	s.poll()
	org := tlv(lldp.TypeOrg, 1, 2, 3, 4, 5)
	s.hear(frameTTL(9))
	s.hear(frameTTL(9, org))
	s.now = second
	s.hear(frameTTL(9, org))
	s.runTo(10)
	s.hear(frameTTL(9, org))
	s.hear(frameTTL(0))
	s.hear(frameB())
	s.SetAdminStatus(lldp.TxOnly)
	s.poll()
	want := []string{"0: port false rx-tx", "0: port true rx-tx", "0: new with 0 TLVs, 1 there, false",
		"0: changed with 1 TLVs, 1 there, false",
		"1: same with 1 TLVs, 1 there, false", "10: aged with 1 TLVs, 0 there, false", "10: new with 1 TLVs, 1 there, false",
		"10: shutdown with 1 TLVs, 0 there, false", "10: new with 0 TLVs, 1 there, false", "10: port true tx-only",
		"10: initialized with 0 TLVs, 0 there, false"}
	if !reflect.DeepEqual(e.reported, want) {
		t.Errorf("told\n%q, want\n%q", e.reported, want)
	}
	if n := s.Counters().Rx.TotalUnrecognizedTLVs; n != 0 {
		t.Errorf("%d unrecognized TLVs", n)
	}
}

func TestProviderContributes(t *testing.T) {
	e := &echo{value: []byte("first")}
	l := localOf(macA, "eth0")
	l.Custom = []lldp.Org{{OUI: lldp.OUI{9, 9, 9}}}
	providers := []lldp.Provider{e, &echo{}}
	s := &station{Agent: lldp.NewAgent(lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers()},
		lldp.RxTx, l, providers...), providers: providers}
	s.SetPortEnabled(true)
	s.poll()
	e.value = []byte("second")
	s.now = second / 2
	e.change = true
	s.hear(frameB())
	var got []string
	for _, f := range s.frames {
		p := pduOf(t, f.frame)
		got = append(got, fmt.Sprintf("%d %s %x", len(p.Org), p.Org[0].Info, p.Org[2].OUI))
	}
	// The change and the new neighbour are one frame.
	if want := []string{"3 first 090909", "3 second 090909"}; !reflect.DeepEqual(got[:2], want) || len(got) > 3 {
		t.Errorf("%q", got)
	}
}

// The credit limits the frames for a provider that changes all the time.
func TestProviderThatAlwaysChanges(t *testing.T) {
	s := up(macA, &echo{change: true})
	s.runTo(60)
	frames := len(s.frames)
	for range 1000 {
		s.hear(frameB())
		s.now += second / 100
	}
	if n := len(s.frames) - frames; n > 5+10 {
		t.Errorf("%d frames in ten seconds", n)
	}
}

// Neighbours deleted at the same moment are all out of the table when the first deletion is reported.
func TestProviderHearsOfAllWhoLeaveTogether(t *testing.T) {
	e := &echo{}
	s := up(macA, e)
	s.hear(frameTTL(9))
	s.hear(raw(tlv(lldp.TypeChassisID, 7, 'x'), portB, tlv(lldp.TypeTTL, 0, 9), end))
	s.runTo(9)
	want := []string{"9: aged with 0 TLVs, 0 there, false", "9: aged with 0 TLVs, 0 there, false"}
	if got := e.reported[len(e.reported)-2:]; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
