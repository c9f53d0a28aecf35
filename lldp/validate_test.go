package lldp_test

import (
	"slices"
	"testing"

	"uelink/lldp"
)

// discarded is what the counters of received frames look like after one that was
// discarded for a fault.
func discarded(f lldp.Fault) lldp.RxCounters {
	c := lldp.RxCounters{TotalFrames: 1, TotalDiscardedFrames: 1, ErrorFrames: 1}
	c.Discards[f] = 1
	return c
}

func accepted() lldp.RxCounters { return lldp.RxCounters{TotalFrames: 1} }

func unrecognized(n uint64) lldp.RxCounters {
	return lldp.RxCounters{TotalFrames: 1, TotalUnrecognizedTLVs: n}
}

func tlvDiscarded(n uint64) lldp.RxCounters {
	return lldp.RxCounters{TotalFrames: 1, ErrorFrames: 1, TotalDiscardedTLVs: n}
}

// validationCase is a frame and what the counters say after it.
type validationCase struct {
	name  string
	frame []byte
	want  lldp.RxCounters
}

// padding is a TLV of a reserved type that makes a frame long enough to need no
// padding, which would be an End Of LLDPDU.
var padding = tlv(9, make([]byte, 60)...)

var sysName = tlv(lldp.TypeSystemName, []byte("one")...)

// validationCases are the rows of the table of received frames, then more of each kind.
func validationCases() []validationCase {
	long := func(t lldp.Type, n int) []byte { return tlv(t, make([]byte, n)...) }
	return []validationCase{
		{"order wrong", raw(portB, chassisB, ttl120, end), discarded(lldp.FaultOrder)},
		{"TTL missing", raw(chassisB, portB, sysName, end), discarded(lldp.FaultOrder)},
		{"2nd chassis TLV", frameB(chassisB), discarded(lldp.FaultRepeated)},
		{"TTL length 1", raw(chassisB, portB, tlv(lldp.TypeTTL, 120), end), discarded(lldp.FaultTTL)},
		{"no End", raw(chassisB, portB, ttl120, padding), discarded(lldp.FaultNoEnd)},
		{"TLV longer than the frame", raw(chassisB, portB, ttl120, padding, []byte{0xFE, 200, 1, 2, 3}), discarded(lldp.FaultOverrun)},
		{"chassis id length 1", raw(tlv(lldp.TypeChassisID, 4), portB, ttl120, end), discarded(lldp.FaultChassisID)},
		{"org TLV length 3", frameB(tlv(lldp.TypeOrg, 1, 2, 3)), discarded(lldp.FaultOrg)},
		{"two System Name TLVs", frameB(sysName, sysName), discarded(lldp.FaultRepeated)},
		{"reserved types 9 and 126", frameB(tlv(9, 1), tlv(126)), unrecognized(2)},
		{"data after End", append(frameB(), 0xDE, 0xAD, 0xBE, 0xEF), accepted()},
		{"unknown OUI", frameB(tlv(lldp.TypeOrg, 0xDE, 0xAD, 0xBE, 66, 1, 2)), unrecognized(1)},

		{"nothing", raw(), discarded(lldp.FaultNoEnd)},
		{"End alone", raw(end), discarded(lldp.FaultOrder)},
		{"mandatory TLVs and no more", raw(chassisB, portB, ttl120), discarded(lldp.FaultNoEnd)},
		{"one octet after the mandatory TLVs", raw(chassisB, portB, ttl120, []byte{0}), discarded(lldp.FaultNoEnd)},
		{"chassis id longer than the frame", raw([]byte{0x02, 200, 4}), discarded(lldp.FaultOverrun)},
		{"chassis id length 0", raw(tlv(lldp.TypeChassisID), portB, ttl120, end), discarded(lldp.FaultChassisID)},
		{"chassis id length 256", raw(long(lldp.TypeChassisID, 256), portB, ttl120, end), accepted()},
		{"chassis id length 257", raw(long(lldp.TypeChassisID, 257), portB, ttl120, end), discarded(lldp.FaultChassisID)},
		{"port id length 1", raw(chassisB, tlv(lldp.TypePortID, 5), ttl120, end), discarded(lldp.FaultPortID)},
		{"port id length 256", raw(chassisB, long(lldp.TypePortID, 256), ttl120, end), accepted()},
		{"port id length 257", raw(chassisB, long(lldp.TypePortID, 257), ttl120, end), discarded(lldp.FaultPortID)},
		{"chassis id twice, no port id", raw(chassisB, chassisB, ttl120, end), discarded(lldp.FaultOrder)},
		{"TTL length 0", raw(chassisB, portB, tlv(lldp.TypeTTL), end), discarded(lldp.FaultTTL)},
		{"TTL length 3", raw(chassisB, portB, tlv(lldp.TypeTTL, 0, 120, 9), end), accepted()},
		{"2nd port id", frameB(portB), discarded(lldp.FaultRepeated)},
		{"2nd TTL", frameB(ttl120), discarded(lldp.FaultRepeated)},
		{"End with a length", raw(chassisB, portB, ttl120, tlv(lldp.TypeEnd, 0)), discarded(lldp.FaultEndLength)},
		{"no End within 1500 octets", frameB(long(9, 511), long(10, 511), long(11, 511)), discarded(lldp.FaultOverrun)},
		{"two port descriptions", frameB(tlv(lldp.TypePortDescription), tlv(lldp.TypePortDescription)), discarded(lldp.FaultRepeated)},
		{"two system descriptions", frameB(tlv(lldp.TypeSystemDescription, 'a'), tlv(lldp.TypeSystemDescription, 'b')), discarded(lldp.FaultRepeated)},
		{"two capabilities", frameB(tlv(lldp.TypeCapabilities, 0, 0, 0, 0), tlv(lldp.TypeCapabilities, 0, 0, 0, 0)), discarded(lldp.FaultRepeated)},
		{"a repeated TLV in error", frameB(long(lldp.TypeSystemName, 256), sysName), discarded(lldp.FaultRepeated)},
		{"two management addresses", frameB(managementTLV(1, 10, 0, 0, 1), managementTLV(1, 10, 0, 0, 2)), accepted()},
		{"empty system name", frameB(tlv(lldp.TypeSystemName)), accepted()},
		{"system name of 255", frameB(long(lldp.TypeSystemName, 255)), accepted()},
		{"system name of 256", frameB(long(lldp.TypeSystemName, 256)), tlvDiscarded(1)},
		{"capabilities of 3", frameB(tlv(lldp.TypeCapabilities, 0, 4, 0)), tlvDiscarded(1)},
		{"capabilities of 5", frameB(tlv(lldp.TypeCapabilities, 0, 4, 0, 4, 0)), tlvDiscarded(1)},
		{"capability enabled that is not there", frameB(tlv(lldp.TypeCapabilities, 0, 4, 0, 8)), tlvDiscarded(1)},
		{"management address of no octets", frameB(tlv(lldp.TypeManagement, 1, 1, 2, 0, 0, 0, 1, 0, 0)), tlvDiscarded(1)},
		{"management address string of length 0", frameB(tlv(lldp.TypeManagement, 0, 2, 0, 0, 0, 1, 0, 0, 0)), tlvDiscarded(1)},
		{"management address longer than its TLV", frameB(tlv(lldp.TypeManagement, 30, 1, 10, 0, 0, 1, 2, 0, 0)), tlvDiscarded(1)},
		{"management address of 32", frameB(managementTLV(9, make([]byte, 32)...)), tlvDiscarded(1)},
		{"OID longer than its TLV", frameB(tlv(lldp.TypeManagement, 5, 1, 10, 0, 0, 1, 2, 0, 0, 0, 1, 7, 0)), tlvDiscarded(1)},
		{"OID of 129", frameB(tlv(lldp.TypeManagement, slices.Concat([]byte{2, 1, 10, 2, 0, 0, 0, 1, 129}, make([]byte, 129))...)), tlvDiscarded(1)},
		{"management TLV of 8", frameB(tlv(lldp.TypeManagement, 2, 1, 10, 2, 0, 0, 0, 1)), tlvDiscarded(1)},
		{"two TLVs in error", frameB(tlv(lldp.TypeCapabilities), tlv(lldp.TypeManagement)), tlvDiscarded(2)},
		{"many TLVs of no length", frameB(slices.Repeat(tlv(100), 700)), unrecognized(700)},
		{"org TLV of 511", frameB(long(lldp.TypeOrg, 511)), unrecognized(1)},
	}
}

// managementTLV is a Management Address TLV on interface 1.
func managementTLV(family byte, address ...byte) []byte {
	return tlv(lldp.TypeManagement, slices.Concat([]byte{byte(len(address) + 1), family}, address, []byte{2, 0, 0, 0, 1, 0})...)
}

func TestValidation(t *testing.T) {
	for _, c := range validationCases() {
		t.Run(c.name, func(t *testing.T) {
			s := up(macA)
			s.hear(c.frame)
			if got := s.Counters().Rx; got != c.want {
				t.Errorf("counters %+v\nwant %+v", got, c.want)
			}
			if got, want := len(s.neighbors()), 1-int(c.want.TotalDiscardedFrames); got != want {
				t.Errorf("%d neighbours, want %d", got, want)
			}
		})
	}
}

// A frame that was discarded leaves what was known of its sender as it was.
func TestValidationKeepsTheNeighbour(t *testing.T) {
	for _, c := range validationCases() {
		if c.want.TotalDiscardedFrames == 0 {
			continue
		}
		s := up(macA)
		s.hear(frameB(sysName))
		before := s.neighbors()
		s.now += second
		s.hear(c.frame)
		if got := s.neighbors(); !slices.Equal(got, before) {
			t.Errorf("%s: %+v, was %+v", c.name, got, before)
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
