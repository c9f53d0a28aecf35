// Package simulated is a link in memory: ends of links, each the daemon's own frame path between a host and a wire, on
// a virtual clock. A script decides what the wire does to each frame, so that counters have exact values, and the
// wire has a rate, so that throughput is exact, too:
//
//	host A ── edge  end A  link ──── wire ──── link  end B  edge ── host B
//
// Hosts obey PFC of their edge ports and can stop the edge ports by PFC, and the edge of B can have a rate. With
// more than one sender each sender is an end, and B is a bridge:
//
//	Senders[0] (A)  link ──── wire ──── link ┐
//	Senders[1]      link ──── wire ──── link ┼ end B  edge ── host B
//	Senders[2]      link ──── wire ──── link ┘
//
// No result depends on the machine: the same options give the same numbers.
package simulated
