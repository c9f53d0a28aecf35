package lldp_test

import (
	"reflect"
	"testing"

	"uelink/lldp"
	"uelink/lldp/lldptest"
)

var sysName = tlv(lldp.TypeSystemName, []byte("one")...)

func TestValidation(t *testing.T) {
	for _, c := range lldptest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			s := up(macA)
			s.hear(c.Frame)
			if got := s.Counters().Rx; got != c.Want {
				t.Errorf("counters %+v\nwant %+v", got, c.Want)
			}
			if got, want := len(s.neighbors()), 1-int(c.Want.TotalDiscardedFrames); got != want {
				t.Errorf("%d neighbours, want %d", got, want)
			}
		})
	}
}

// A discarded frame does not change the information about its sender.
func TestValidationKeepsTheNeighbour(t *testing.T) {
	for _, c := range lldptest.Cases() {
		if c.Want.TotalDiscardedFrames == 0 {
			continue
		}
		s := up(macA)
		s.hear(frameB(sysName))
		before := s.neighbors()
		s.now += second
		s.hear(c.Frame)
		if got := s.neighbors(); !reflect.DeepEqual(got, before) {
			t.Errorf("%s: %+v, was %+v", c.Name, got, before)
		}
	}
}

func TestFaultsHaveWords(t *testing.T) {
	seen := map[string]bool{}
	for f := range lldp.NumFaults + 1 {
		if f.Error() == "" || seen[f.String()] {
			t.Errorf("fault %d: %q", f, f)
		}
		seen[f.String()] = true
	}
	if lldp.Fault(200).String() != "unknown fault" {
		t.Error(lldp.Fault(200))
	}
}
