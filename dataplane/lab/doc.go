// Package lab is a bench in memory: ends of links, each the daemon's own frame path between a host
// and a wire, on a virtual clock. What the wire does to each frame is scripted, so that counters
// have exact values, and the wire has a rate, so that throughput has one too:
//
//	host A ── edge  end A  link ──── wire ──── link  end B  edge ── host B
//
// Hosts obey PFC of their edge ports and can stop these, and the edge of B can have a rate. With more
// senders than one there is an end for each, and B is a bridge:
//
//	Senders[0] (A)  link ──── wire ──── link ┐
//	Senders[1]      link ──── wire ──── link ┼ end B  edge ── host B
//	Senders[2]      link ──── wire ──── link ┘
//
// Nothing in it depends on the machine: the same options give the same numbers.
package lab
