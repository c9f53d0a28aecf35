package store

import (
	"testing"

	"uelink/sai"
)

// TestAttributesThatAreNotBuilt: an attribute that SAI has and the table has not is not implemented, with a capability
// of nothing, and the first number after SAI's is unknown. 1926 attributes are in SAI's headers, 529 of these of the
// switch, ports, profiles, channels and maps.
func TestAttributesThatAreNotBuilt(t *testing.T) {
	b := newBed(t)
	var all, ours int
	for of := range sai.ObjectType(len(attributeCounts)) {
		n := uint32(attributeCounts[of])
		all += int(n)
		for _, s := range aclSpans[of] {
			all += int(s.last - s.first + 1)
		}
		for id := range n {
			if c := b.AttributeCapability(of, id); !c.Known || b.find(of, id) == nil && c.Can != (sai.Can{}) {
				t.Errorf("attribute 0x%x of %s: capability %+v", id, of, c)
			}
		}
		for _, id := range []uint32{n, 0xffff, 0xffffffff} {
			if b.AttributeCapability(of, id).Known {
				t.Errorf("%s has an attribute 0x%x", of, id)
			}
		}
	}
	if all != 1926 {
		t.Errorf("%d attributes, SAI has 1926", all)
	}
	for _, of := range []sai.ObjectType{sai.TypeSwitch, sai.TypePort, sai.TypeLLRProfile, sai.TypeVC,
		sai.TypeCreditPool,
		sai.TypeCreditProfile, sai.TypeQoSMap} {
		ours += int(attributeCounts[of])
	}
	if ours != 529 {
		t.Errorf("%d attributes of our types, SAI has 529", ours)
	}
	for _, known := range []struct {
		of sai.ObjectType
		id uint32
	}{{7, 0x1000}, {7, 0x104f}, {7, 0x1168}, {7, 0x3001}, {8, 0x203d}} {
		if !inSAI(known.of, known.id) || inSAI(known.of, 0x1050) || inSAI(known.of, 0x203e) {
			t.Errorf("ACL: 0x%x of type %d", known.id, known.of)
		}
	}
	if inSAI(sai.ObjectType(len(attributeCounts)), 0) {
		t.Error("a type after SAI's last has attributes")
	}
}

// TestCallsWithAttributesThatAreNotBuilt: create, set and get answer ATTR_NOT_IMPLEMENTED with the index, for one that
// SAI has, and UNKNOWN_ATTRIBUTE for one that it has not.
func TestCallsWithAttributesThatAreNotBuilt(t *testing.T) {
	b := newBed(t)
	link := b.oid(sai.TypePort, "link0")
	const autoNegotiation, afterLast = 0x21, 0xe1
	for id, want := range map[uint32]sai.Status{autoNegotiation: attrNotImplemented, afterLast: unknownAttribute} {
		_, err := b.Get(link, []uint32{portDot1p, id})
		b.refused("get", err, want.At(1))
		b.refused("set", b.SetAttribute(link, sai.Set{ID: id}), want)
	}
	_, err := b.Create(sai.TypeSwitch, []sai.Set{attr(switchInit, truth(true)), {ID: 0x3e}}, false)
	b.refused("create", err, attrNotImplemented.At(1))
}

// TestAttributesOfSairedis: those of SONiC's libsairedis, which it sets on a switch, do nothing and are no fault.
func TestAttributesOfSairedis(t *testing.T) {
	b := newBed(t)
	_, err := b.Create(sai.TypeSwitch, []sai.Set{attr(switchInit, truth(true)), {ID: sairedisFirst + 0xa}}, false)
	b.refused("create", err, sai.Success)
	for id := range uint32(sairedisCount) {
		b.refused("set", b.SetAttribute(sai.SwitchOID, sai.Set{ID: sairedisFirst + id}), sai.Success)
	}
	b.refused("after the last", b.SetAttribute(sai.SwitchOID, sai.Set{ID: sairedisFirst + sairedisCount}),
		unknownAttribute)
	b.refused("of a port", b.SetAttribute(b.oid(sai.TypePort, "link0"), sai.Set{ID: sairedisFirst}), unknownAttribute)
}
