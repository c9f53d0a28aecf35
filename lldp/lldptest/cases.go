package lldptest

import (
	"slices"

	"uelink/lldp"
)

// discarded returns the receive counters of an agent after one frame that it has discarded for fault f.
func discarded(f lldp.Fault) lldp.RxCounters {
	c := lldp.RxCounters{TotalFrames: 1, TotalDiscardedFrames: 1, ErrorFrames: 1}
	c.Discards[f] = 1
	return c
}

// accepted returns the counters after one frame without errors and without unrecognized TLVs.
func accepted() lldp.RxCounters { return lldp.RxCounters{TotalFrames: 1} }

// unrecognized returns the counters after one accepted frame with n unrecognized TLVs.
func unrecognized(n uint64) lldp.RxCounters {
	return lldp.RxCounters{TotalFrames: 1, TotalUnrecognizedTLVs: n}
}

// tlvDiscarded returns the counters after one accepted frame of which n TLVs in error were discarded.
func tlvDiscarded(n uint64) lldp.RxCounters {
	return lldp.RxCounters{TotalFrames: 1, ErrorFrames: 1, TotalDiscardedTLVs: n}
}

// Case is a received frame with the counters expected afterwards.
type Case struct {
	Name  string
	Frame []byte
	Want  lldp.RxCounters // counting from zero
}

// Cases returns test cases of received frames and the agent's reaction: the rows of the specification's table of
// received frames, then more of each kind.
func Cases() []Case {
	chassis, port, ttl, end := Chassis(), Port(), TTL(120), End()
	// Makes a frame long enough to need no padding: zeros after the last TLV would be an End Of LLDPDU.
	padding := TLV(9, make([]byte, 60)...)
	sysName := TLV(lldp.TypeSystemName, []byte("one")...)
	long := func(t lldp.Type, n int) []byte { return TLV(t, make([]byte, n)...) }
	return []Case{
		{"order wrong", Frame(port, chassis, ttl, end), discarded(lldp.FaultOrder)},
		{"TTL missing", Frame(chassis, port, sysName, end), discarded(lldp.FaultOrder)},
		{"2nd chassis TLV", Good(chassis), discarded(lldp.FaultRepeated)},
		{"TTL length 1", Frame(chassis, port, TLV(lldp.TypeTTL, 120), end), discarded(lldp.FaultTTL)},
		{"no End", Frame(chassis, port, ttl, padding), discarded(lldp.FaultNoEnd)},
		{"TLV longer than the frame", Frame(chassis, port, ttl, padding, []byte{0xFE, 200, 1, 2, 3}), discarded(lldp.FaultOverrun)},
		{"chassis id length 1", Frame(TLV(lldp.TypeChassisID, 4), port, ttl, end), discarded(lldp.FaultChassisID)},
		{"org TLV length 3", Good(TLV(lldp.TypeOrg, 1, 2, 3)), discarded(lldp.FaultOrg)},
		{"two System Name TLVs", Good(sysName, sysName), discarded(lldp.FaultRepeated)},
		{"reserved types 9 and 126", Good(TLV(9, 1), TLV(126)), unrecognized(2)},
		{"data after End", append(Good(), 0xDE, 0xAD, 0xBE, 0xEF), accepted()},
		{"unknown OUI", Good(TLV(lldp.TypeOrg, 0xDE, 0xAD, 0xBE, 66, 1, 2)), unrecognized(1)},

		{"nothing", Frame(), discarded(lldp.FaultNoEnd)},
		{"End alone", Frame(end), discarded(lldp.FaultOrder)},
		{"mandatory TLVs and no more", Frame(chassis, port, ttl), discarded(lldp.FaultNoEnd)},
		{"one octet after the mandatory TLVs", Frame(chassis, port, ttl, []byte{0}), discarded(lldp.FaultNoEnd)},
		{"chassis id longer than the frame", Frame([]byte{0x02, 200, 4}), discarded(lldp.FaultOverrun)},
		{"chassis id length 0", Frame(TLV(lldp.TypeChassisID), port, ttl, end), discarded(lldp.FaultChassisID)},
		{"chassis id length 256", Frame(long(lldp.TypeChassisID, 256), port, ttl, end), accepted()},
		{"chassis id length 257", Frame(long(lldp.TypeChassisID, 257), port, ttl, end), discarded(lldp.FaultChassisID)},
		{"port id length 1", Frame(chassis, TLV(lldp.TypePortID, 5), ttl, end), discarded(lldp.FaultPortID)},
		{"port id length 256", Frame(chassis, long(lldp.TypePortID, 256), ttl, end), accepted()},
		{"port id length 257", Frame(chassis, long(lldp.TypePortID, 257), ttl, end), discarded(lldp.FaultPortID)},
		{"chassis id twice, no port id", Frame(chassis, chassis, ttl, end), discarded(lldp.FaultOrder)},
		{"TTL length 0", Frame(chassis, port, TLV(lldp.TypeTTL), end), discarded(lldp.FaultTTL)},
		{"TTL length 3", Frame(chassis, port, TLV(lldp.TypeTTL, 0, 120, 9), end), accepted()},
		{"2nd port id", Good(port), discarded(lldp.FaultRepeated)},
		{"2nd TTL", Good(ttl), discarded(lldp.FaultRepeated)},
		{"End with a length", Frame(chassis, port, ttl, TLV(lldp.TypeEnd, 0)), discarded(lldp.FaultEndLength)},
		{"no End within 1500 octets", Good(long(9, 511), long(10, 511), long(11, 511)), discarded(lldp.FaultOverrun)},
		{"two port descriptions", Good(TLV(lldp.TypePortDescription), TLV(lldp.TypePortDescription)), discarded(lldp.FaultRepeated)},
		{"two system descriptions", Good(TLV(lldp.TypeSystemDescription, 'a'), TLV(lldp.TypeSystemDescription, 'b')), discarded(lldp.FaultRepeated)},
		{"two capabilities", Good(TLV(lldp.TypeCapabilities, 0, 0, 0, 0), TLV(lldp.TypeCapabilities, 0, 0, 0, 0)), discarded(lldp.FaultRepeated)},
		{"system name in error, then a second system name", Good(long(lldp.TypeSystemName, 256), sysName), discarded(lldp.FaultRepeated)},
		{"two management addresses", Good(managementTLV(1, 10, 0, 0, 1), managementTLV(1, 10, 0, 0, 2)), accepted()},
		{"empty system name", Good(TLV(lldp.TypeSystemName)), accepted()},
		{"system name of 255", Good(long(lldp.TypeSystemName, 255)), accepted()},
		{"system name of 256", Good(long(lldp.TypeSystemName, 256)), tlvDiscarded(1)},
		{"capabilities of 3", Good(TLV(lldp.TypeCapabilities, 0, 4, 0)), tlvDiscarded(1)},
		{"capabilities of 5", Good(TLV(lldp.TypeCapabilities, 0, 4, 0, 4, 0)), tlvDiscarded(1)},
		{"capability enabled but not supported", Good(TLV(lldp.TypeCapabilities, 0, 4, 0, 8)), tlvDiscarded(1)},
		{"management address of no octets", Good(TLV(lldp.TypeManagement, 1, 1, 2, 0, 0, 0, 1, 0, 0)), tlvDiscarded(1)},
		{"management address string of length 0", Good(TLV(lldp.TypeManagement, 0, 2, 0, 0, 0, 1, 0, 0, 0)), tlvDiscarded(1)},
		{"management address longer than its TLV", Good(TLV(lldp.TypeManagement, 30, 1, 10, 0, 0, 1, 2, 0, 0)), tlvDiscarded(1)},
		{"management address of 32", Good(managementTLV(9, make([]byte, 32)...)), tlvDiscarded(1)},
		{"OID longer than its TLV", Good(TLV(lldp.TypeManagement, 5, 1, 10, 0, 0, 1, 2, 0, 0, 0, 1, 7, 0)), tlvDiscarded(1)},
		{"OID of 129", Good(TLV(lldp.TypeManagement, slices.Concat([]byte{2, 1, 10, 2, 0, 0, 0, 1, 129}, make([]byte, 129))...)), tlvDiscarded(1)},
		{"management TLV of 8", Good(TLV(lldp.TypeManagement, 2, 1, 10, 2, 0, 0, 0, 1)), tlvDiscarded(1)},
		{"two TLVs in error", Good(TLV(lldp.TypeCapabilities), TLV(lldp.TypeManagement)), tlvDiscarded(2)},
		{"many TLVs of no length", Good(slices.Repeat(TLV(100), 700)), unrecognized(700)},
		{"org TLV of 511", Good(long(lldp.TypeOrg, 511)), unrecognized(1)},
	}
}

// managementTLV returns the octets of a Management Address TLV with an address on interface 1.
func managementTLV(family byte, address ...byte) []byte {
	return TLV(lldp.TypeManagement, slices.Concat([]byte{byte(len(address) + 1), family}, address,
		[]byte{2, 0, 0, 0, 1, 0})...)
}
