// Package lab is a bench in memory: two ends of a link, each the daemon's own frame path between
// a host and a wire, on a virtual clock. What the wire does to each frame is scripted, so that
// counters have exact values, and the wire has a rate, so that throughput has one too:
//
//	host A ── edge  end A  link ──── wire ──── link  end B  edge ── host B
//
// Nothing in it depends on the machine: the same options give the same numbers.
package lab
