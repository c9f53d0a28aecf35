package store

import (
	"hash/fnv"
	"time"

	"uelink/sai"
)

// The numbers of bits of the two halves of an object id below the type: the upper half is the time of the daemon's
// start in seconds, the lower half a count. So no id is ever used again, also by the next process. A port's id is a
// hash of its name instead, so that it is the same after a restart.
const (
	startBits = 24
	countBits = 24
)

// nextOID is the next object id that is not a port's, without the type in its upper bits.
type nextOID sai.OID

// firstOID returns the lower part of the first object id, without the type. It depends on the start time, so that ids
// of an earlier process do not recur.
func firstOID(start time.Time) nextOID {
	return nextOID(max(1, uint64(start.Unix())%(1<<startBits)))<<countBits + 1
}

// newOID returns a new object id for an object of type t. The caller holds the lock.
func (n *nextOID) newOID(t sai.ObjectType) sai.OID {
	*n++
	return sai.OID(t)<<sai.TypeShift | sai.OID(*n-1)
}

// portOID returns a new object id for the port with a name beside the present objects. It is made of a hash of the
// name, so that it is the same in every process.
func portOID(name string, objects map[sai.OID]*object) sai.OID {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	oid := sai.OID(sai.TypePort)<<sai.TypeShift | sai.OID(h.Sum32())
	for objects[oid] != nil { // another name has the same hash
		oid++
	}
	return oid
}
