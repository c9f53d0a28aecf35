package bridge

// Flood, as Out, means all ports of the frame's VLAN.
const Flood = -1

// Verdict is the bridge's decision on a frame.
type Verdict struct {
	Drop   Reason // why the frame is dropped; 0 = not dropped
	Class  Class
	Tagged bool   // the frame has an 802.1Q tag, which the bridge has read
	PCP    uint8  // priority of that tag, 0 to 7; 0 without one
	DEI    bool   // drop eligible, of that tag
	VLAN   uint16 // 1 to 4094; 0 in a bridge without filtering
	Out    int    // egress port, or Flood

	EtherType uint16 // behind an 802.1Q tag; 0 for a port that the bridge does not have

	priority bool // the tag has VLAN 0: priority only
}

// Class is the class of a frame by its destination.
type Class uint8

// The classes of frames.
const (
	Unicast   Class = iota // to an address in the table
	Unknown                // unicast to another address
	Broadcast              // to FF-FF-FF-FF-FF-FF
	Multicast              // to another group
	numClasses
)

// String returns the name of the frame class: unicast, unknown, broadcast or multicast.
func (c Class) String() string {
	return [...]string{"unicast", "unknown", "broadcast", "multicast", "?"}[min(c, numClasses)]
}

// MarshalText returns the name of the frame class (unicast, unknown, broadcast, multicast) as octets. The error is
// always nil.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// storm returns the drop reason of a frame that exceeds the rate limit of its class.
func (c Class) storm() Reason {
	return [...]Reason{Unknown: DropStormUnknown, Broadcast: DropStormBroadcast, Multicast: DropStormMulticast}[c]
}

// Reason is why a bridge drops a frame; NoReason is 0.
type Reason uint8

// The reasons. A frame dropped for a reason up to DropStormMulticast is not learned from.
const (
	NoReason           Reason = iota
	DropPort                  // the ingress port is not in the bridge
	DropBlocked               // the loop guard has blocked the ingress port
	DropSource                // the source address is a group, or zero
	DropReserved              // the frame may not leave its link
	DropVLAN                  // the ingress port is not in the frame's VLAN, or the frame is in no VLAN
	DropStormBroadcast        // a broadcast beyond the broadcast limit of the ingress port
	DropStormUnknown          // a frame to an unknown address beyond the limit of the ingress port for such frames
	DropStormMulticast        // a multicast frame beyond the multicast limit of the ingress port
	DropSamePort              // the destination is behind the ingress port
	DropEgressVLAN            // the destination is behind a port outside the VLAN
	DropIsolated              // source and destination are behind isolated ports
	DropEgressBlocked         // the destination is behind a port blocked by the loop guard
	NumReasons
)

// String returns the reason in words for which the bridge dropped a frame.
func (r Reason) String() string {
	return [...]string{"not dropped", "port not in the bridge", "port blocked by the loop guard",
		"source address is a group or zero", "reserved address", "port not in the VLAN",
		"broadcast limit", "limit of frames to unknown addresses", "multicast limit", "destination behind the same port",
		"destination's port not in the VLAN", "both ports isolated", "destination's port blocked by the loop guard",
		"?"}[min(r, NumReasons)]
}

// MarshalText returns the reason for which the bridge dropped a frame in words, as octets. The error is always nil.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
