// Package e2e tests real daemons on real interfaces: uelinkd and the uelink commands as processes, each in a network
// namespace of its own, joined by veths.
//
//	hostA ── A (uelinkd) ── wire (uelink cable) ── B (uelinkd) ── hostB
//	   eth0  edge0    link0  a               b  link0    edge0  eth0
//
// Where the daemons are bridges, A and B may have more hosts, hostC, hostD ..., at edge1, edge2 and so on.
//
// LLDP and DCBX are also tested without hosts: a veth joins A (uelinkd) and B, and B runs another uelinkd, Debian's
// lldpd, or a socket that sends frames.
//
// Daemons also run by the systemd unit of deploy/, with its user, capabilities, system calls and file system: package
// unit applies the unit without systemd.
//
// Where the wire is good there is no cable: link0 of A and of B are the two ends of one veth. The tests need root;
// without root they are skipped, or fail when UELINK_E2E=required.
//
// Tests with load run one at a time: their processes share two cores. A test that mostly waits, and measures no rate,
// begins with t.Parallel: such tests run at the end, beside each other. Tests of lldpd and Open vSwitch run alone,
// because all instances of those programs share directories.
package e2e
