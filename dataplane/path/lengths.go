package path

// lengths are the lengths of the longest frames of a link, in octets: of link frames, with the shim, and of carried
// frames, without it.
type lengths struct {
	Carries    int   // longest link frame that the wire carries
	longest    int   // longest link frame that this end may have to send
	takes      int   // longest link frame that this end accepts
	most       int   // longest carried frame; 0: not known
	required   int   // longest link frame that partner and wire have to take
	requiredIn int   // longest carried frame, room for a second VLAN tag not counted; 0: not known
	widest     *Port // the port that carries frames of the length most; nil: not known
}
