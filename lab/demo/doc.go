// Package demo shows a link at work: two daemons join two hosts over a wire that loses, damages, duplicates and
// reorders frames, and numbered frames cross the link both ways at once. Only the machines are simulated, by network
// namespaces:
//
//	hostA        A                       wire                       B        hostB
//	 eth0 ---- edge0  uelinkd  link0 ---- a  uelink cable  b ---- link0  uelinkd  edge0 ---- eth0
//
// The daemons and the cable are processes of their own. The process of the demo sends the traffic.
package demo
