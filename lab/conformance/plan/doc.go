// Package plan runs test plans of the link protocols against two running daemons with a wire between them whose rules
// take out, hold and change single messages: the 20 cases of SONiC's test plan of LLR, and 8 cases of CBFC.
//
//	hostA ── A (uelinkd) ── wire (uelink cable, rules) ── B (uelinkd) ── hostB
//	   eth0  edge0    link0  a                        b  link0    edge0  eth0
//
// Data flows from A to B, which is the direction that a case is about, and back at the same time. A case knows the
// frames from three sources that do not know of each other: the hosts count deliveries, the daemons count by SAI's
// statistics, and both link ports are watched frame by frame.
//
// The namespaces, daemons and the wire are made for the run. With sockets of running daemons nothing is made: a case
// whose settings those daemons do not have is not possible there.
package plan
