// Package pods tests uelink-cni with real daemons, and with cnitool and the IPAM plugin host-local as
// github.com/containernetworking has them: containers come and go at two nodes with a link between them.
//
//	pod ── A (node: uelinkd, uelink-cni) ── wire (uelink cable) ── B (node) ── pod
package pods
