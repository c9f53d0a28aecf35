package bridge

// Flood is the Out of a frame that goes to all ports of its VLAN.
const Flood = -1

// Verdict is what a bridge does with a frame.
type Verdict struct {
	Drop   Reason // why the frame goes nowhere; 0 = it goes
	Class  Class
	Tagged bool   // it came with an 802.1Q tag, which the bridge has read
	PCP    uint8  // priority of that tag, 0 to 7; 0 without one
	DEI    bool   // drop eligible, of that tag
	VLAN   uint16 // 1 to 4094; 0 in a bridge without filtering
	Out    int    // number of the port that it leaves by, or Flood

	priority bool // that tag names no VLAN
}

// Class is what a frame is to the forwarding process.
type Class uint8

// The classes of frames.
const (
	Unicast   Class = iota // to an address that the table has
	Unknown                // unicast to another address
	Broadcast              // to FF-FF-FF-FF-FF-FF
	Multicast              // to another group
	numClasses
)

// String is the class in one word.
func (c Class) String() string {
	return [...]string{"unicast", "unknown", "broadcast", "multicast", "?"}[min(c, numClasses)]
}

// MarshalText is String.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// storm is why a frame beyond the limit of its class is dropped.
func (c Class) storm() Reason {
	return [...]Reason{Unknown: DropStormUnknown, Broadcast: DropStormBroadcast, Multicast: DropStormMulticast}[c]
}

// Reason is why a bridge drops a frame; NoReason is 0.
type Reason uint8

// The reasons. A frame that is dropped for one up to DropStormMulticast is not learned from.
const (
	NoReason           Reason = iota
	DropPort                  // the port that it came to is not in the bridge
	DropBlocked               // that port is blocked by the loop guard
	DropSource                // its source address is a group, or zero
	DropReserved              // it may not leave the link that it came from
	DropVLAN                  // the port is not in the frame's VLAN, or the frame in none
	DropStormBroadcast        // more broadcasts than Broadcast
	DropStormUnknown          // more frames to unknown addresses than Unknown
	DropStormMulticast        // more multicasts than Multicast
	DropSamePort              // its destination is behind the port that it came to
	DropEgressVLAN            // its destination is behind a port that is not in its VLAN
	DropIsolated              // its destination is behind an isolated port, as its source is
	DropEgressBlocked         // its destination is behind a port that the loop guard has blocked
	NumReasons
)

// String is the reason in words.
func (r Reason) String() string {
	return [...]string{"not dropped", "port not in the bridge", "port blocked by the loop guard",
		"source address is a group or zero", "reserved address", "port not in the VLAN",
		"broadcast limit", "limit of unknown addresses", "multicast limit", "destination behind the same port",
		"destination's port not in the VLAN", "both ports isolated", "destination's port blocked by the loop guard",
		"?"}[min(r, NumReasons)]
}

// MarshalText is String.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
