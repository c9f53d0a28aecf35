// Package dialect chooses which dialect of DCBX a port speaks: IEEE 802.1Qaz, or base specification 1.0 (CEE).
package dialect

import (
	"time"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// Version is the configured dialect of a port.
type Version uint8

// The versions. Auto speaks IEEE, and CEE with a peer that speaks nothing else.
const (
	Auto Version = iota
	IEEE
	CEE
)

// String returns the version's name in the configuration: auto, ieee or cee.
func (v Version) String() string { return [...]string{"auto", "ieee", "cee"}[v] }

// Wait is how long a peer must send TLVs of CEE, and none of IEEE, before Auto speaks CEE. A peer that is also Auto,
// and speaks CEE, returns to IEEE as soon as this end sends IEEE alone, so two such ends do not chase each other.
const Wait = 3 * time.Second

// Heard is which dialects the TLVs of an LLDPDU belong to.
type Heard struct {
	IEEE bool
	CEE  bool
	CIN  bool // the version before CEE, which this end never speaks
}

// Choice is the choice of a port.
//
//	             CEE without IEEE for 3 s
//	┌────────┐ ─────────────────────────────────► ┌───────┐
//	│  IEEE  │                                    │  CEE  │
//	└────────┘ ◄───────────────────────────────── └───────┘
//	             IEEE without CEE, link down, good-bye,
//	             expiry, another station
//
// A fixed version stays in its state. In CEE an LLDPDU with both dialects changes nothing.
// Clauses: 802.1Qaz/dialect.1.
type Choice struct {
	version Version
	cee     bool      // the port speaks CEE, not IEEE
	waits   bool      // CEE without IEEE was heard, and the port will speak CEE from the time in field until on
	until   wire.Time // when CEE begins, if waits is set
	heard   Heard     // dialects in the latest LLDPDU of the only neighbour
}

// CEE reports whether the port speaks CEE, and not IEEE.
func (c *Choice) CEE() bool { return c.cee }

// Version returns the configured version.
func (c *Choice) Version() Version { return c.version }

// Heard returns which dialects the latest LLDPDU of the only neighbour had.
func (c *Choice) Heard() Heard { return c.heard }

// SetVersion changes the configured version. Auto goes on with the dialect that is spoken.
func (c *Choice) SetVersion(v Version) {
	c.version, c.waits = v, false
	c.force()
}

// force makes a fixed version the dialect that is spoken.
func (c *Choice) force() {
	if c.version != Auto {
		c.cee = c.version == CEE
		c.waits = false
	}
}

// Restart handles the loss of the peer, or the arrival of another peer: Auto begins with IEEE.
func (c *Choice) Restart() {
	c.waits, c.heard = false, Heard{}
	if c.version == Auto {
		c.cee = false
	}
}

// Receive handles the dialects heard in an LLDPDU of the only neighbour. With Auto, IEEE without CEE ends CEE at once;
// CEE without IEEE begins CEE, here or by Poll, when it has lasted for Wait.
func (c *Choice) Receive(h Heard, now wire.Time) {
	c.heard = h
	switch {
	case c.version != Auto:
	case c.cee:
		c.cee = h.CEE || !h.IEEE
	case h.IEEE || !h.CEE:
		c.waits = false
	case !c.waits:
		c.waits, c.until = true, now.Add(Wait)
	default:
		c.Poll(now)
	}
}

// Poll begins CEE if the time for that has come, and reports whether it has.
func (c *Choice) Poll(now wire.Time) (began bool) {
	if !c.waits || now < c.until {
		return false
	}
	c.waits, c.cee = false, true
	return true
}

// Deadline returns when Poll is due, or wire.Never.
func (c *Choice) Deadline() wire.Time {
	if c.waits {
		return c.until
	}
	return wire.Never
}

// PassState saves to snapshot s, or restores from it, the dialect that the port speaks, and the dialects that were
// heard. The snapshot of an older version, which spoke only CEE, restores CEE. The version is not saved, because the
// owner sets it.
func (c *Choice) PassState(s *snapshot.State) {
	ieee := !c.cee
	s.Bool("ieee", &ieee)
	c.cee = !ieee
	s.Bool("waits", &c.waits)
	snapshot.Number(s, "until", &c.until)
	s.Struct("heard", &c.heard)
	if s.Restoring() {
		c.force()
	}
}
