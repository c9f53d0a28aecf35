// Package e2e tests real daemons on real interfaces: uelinkd and the uelink
// commands as processes, each in a network namespace of its own, joined by veths.
//
//	hostA ── A (uelinkd) ── wire (uelink cable) ── B (uelinkd) ── hostB
//	   eth0  edge0    link0  a               b  link0    edge0  eth0
//
// Where the daemons are bridges, A and B may have more hosts, hostC, hostD ..., at edge1, edge2 and so on.
//
// LLDP and DCBX are also tested without hosts: A (uelinkd) and B are joined by one
// veth, and in B there is another uelinkd, Debian's lldpd, or a socket that sends
// frames.
//
// Daemons also run by the systemd unit of deploy/, with its user, capabilities, system
// calls and file system: package unit applies it without systemd.
//
// Where the wire is to be good there is no cable: link0 of A and of B are the two
// ends of one veth. The tests need root; without it they are skipped, or fail when
// UELINK_E2E=required.
//
// Tests with load run one at a time: two cores are shared by everything that they start. A test that mostly waits, and
// that measures no rate, begins with t.Parallel: such tests run at the end, beside each other. Tests of lldpd and Open
// vSwitch are not among them, because those programs have directories that all their instances share.
package e2e
