package path

import "uelink/wire"

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

// bound computes the lengths of the longest data frame that this end sends (longest) and accepts (takes), and of the
// longest that partner and wire have to take (required). Both forms are accepted, and the addressed form is the longer.
// maxFrame is the longest frame of the interface, shim the form in which this end sends, fcs whether its frames have an
// FCS image.
func (n *lengths) bound(maxFrame int, shim wire.Preamble, fcs bool) {
	n.longest, n.takes = maxFrame, maxFrame
	if n.most > 0 {
		n.longest = min(maxFrame, shim.DataLen(n.most))
		n.takes = min(maxFrame, wire.Preamble{FCS: fcs, To: wire.To{Addressed: true}}.DataLen(n.most))
	}
	if n.required = n.longest; n.requiredIn > 0 {
		n.required = min(n.longest, shim.DataLen(n.requiredIn))
	}
}
