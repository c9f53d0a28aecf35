package bridge

import (
	"math/bits"

	"uelink/wire"
)

// The address table is an open-addressing hash with linear probing. At least half of its slots are free. An erased
// entry leaves no mark: the entries behind it close the gap, so the cost of a search does not grow with the age of
// the table.

// maxProbe is the longest distance of an entry from its home slot, in slots. A random table of any size exceeds it
// for one address in 10^10.
const maxProbe = 128

// minSlots is the size of the smallest table.
const minSlots = 64

// The word of an entry besides its key: bits 0 to 7 are the port, bit 8 is set if the entry is static, the rest is
// the time of its last frame in nanoseconds.
const (
	portMask   = 0xFF
	staticFlag = 0x100
	wordMask   = portMask | staticFlag
)

// entry is a slot of the table, 16 octets. A key of 0 is a free slot.
type entry struct {
	key  uint64
	word wire.Time
}

// taken is set in every key. Below it is the VLAN with 12 bits, above it the address.
const taken = 1 << 15

// keyOf returns the table key of an address in a VLAN; mac is the address as a number of 48 bits.
func keyOf(mac uint64, vlan uint16) uint64 { return mac<<16 | taken | uint64(vlan) }

// newEntry returns a table entry: an address, its port (perhaps with staticFlag), and now as the time last seen.
func newEntry(key uint64, port int, now wire.Time) entry {
	return entry{key, now&^wordMask | wire.Time(port)}
}

func (e *entry) port() int       { return int(e.word & portMask) }
func (e *entry) static() bool    { return e.word&staticFlag != 0 }
func (e *entry) seen() wire.Time { return e.word &^ wordMask }
func (e *entry) vlan() uint16    { return uint16(e.key) &^ taken }

// address returns the address and VLAN of the entry.
func (e *entry) address() Address {
	a := Address{VLAN: e.vlan()}
	for i := range a.MAC {
		a.MAC[i] = byte(e.key >> (56 - 8*i))
	}
	return a
}

// table is the hash table.
type table struct {
	slots  []entry // a power of two
	secret [3]uint64
	count  int
}

// newTable returns an address table (a hash table) with room for n entries. The secret seed keeps others from
// choosing addresses that collide.
func newTable(n int, seed uint64) table {
	t := table{slots: make([]entry, slotsFor(n))}
	for i := range t.secret {
		t.secret[i] = splitmix(seed + uint64(i+1)*golden)
	}
	return t
}

// slotsFor returns the number of slots of a table with room for n entries.
func slotsFor(n int) int { return max(minSlots, 1<<bits.Len(uint(2*n-1))) }

// golden is 2^64 divided by the golden ratio.
const golden = 0x9E3779B97F4A7C15

// splitmix mixes the bits of z: the output function of the generator SplitMix64 (Steele, Lea, Flood 2014).
func splitmix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// hash returns a hash of key: it folds the 128 bits of two products with secret factors, as wyhash does.
func (t *table) hash(key uint64) uint64 {
	hi, lo := bits.Mul64(key^t.secret[0], t.secret[1])
	hi, lo = bits.Mul64(hi^lo, t.secret[2])
	return hi ^ lo
}

// home returns the slot of the table where a key belongs first.
func (t *table) home(key uint64) int { return int(t.hash(key) & uint64(len(t.slots)-1)) }

// find returns the slot with the key. If the key is not found, the slot is the place to put it, or -1 if no slot near
// enough is free.
func (t *table) find(key uint64) (at int, found bool) {
	mask := len(t.slots) - 1
	at = t.home(key)
	for range maxProbe {
		switch t.slots[at&mask].key {
		case key:
			return at & mask, true
		case 0:
			return at & mask, false
		}
		at++
	}
	return -1, false
}

// put stores an entry in a free slot that find has returned.
func (t *table) put(at int, e entry) {
	t.slots[at] = e
	t.count++
}

// erase frees a slot and closes the gap: each following entry, up to the next free slot, moves into the gap unless
// its home lies behind the gap.
func (t *table) erase(gap int) {
	mask := len(t.slots) - 1
	for at := (gap + 1) & mask; t.slots[at].key != 0; at = (at + 1) & mask {
		if home := t.home(t.slots[at].key); (at-home)&mask >= (at-gap)&mask {
			t.slots[gap] = t.slots[at]
			gap = at
		}
	}
	t.slots[gap] = entry{}
	t.count--
}

// resize replaces the table's slots by enough slots for n entries, or for the present entries if these are more.
func (t *table) resize(n int) {
	old := t.slots
	for size := slotsFor(n); !t.refill(old, size); size *= 2 {
	}
}

// refill puts the entries of old into a new table of size slots. It returns false if an entry finds no slot within
// maxProbe of its home: then the table is not complete.
func (t *table) refill(old []entry, size int) bool {
	t.slots, t.count = make([]entry, size), 0
	for i := range old {
		if old[i].key == 0 {
			continue
		}
		at, _ := t.find(old[i].key)
		if at < 0 {
			return false
		}
		t.put(at, old[i])
	}
	return true
}
