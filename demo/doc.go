// Package demo shows a link at work: two daemons join two hosts over a wire that
// loses, damages, duplicates and reorders frames, and numbered frames cross it
// both ways at once. Everything is real but the machines, which are network
// namespaces:
//
//	hostA        A                       wire                       B        hostB
//	 eth0 ---- edge0  uelinkd  link0 ---- a  uelink cable  b ---- link0  uelinkd  edge0 ---- eth0
//
// The daemons and the cable are processes of their own; the traffic is sent from
// this one.
package demo
