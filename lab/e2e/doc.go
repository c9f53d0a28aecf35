// Package e2e has folders of tests of real daemons on real interfaces: uelinkd and the uelink commands as processes,
// each in a network namespace of its own, joined by veths.
//
//	hostA ── A (uelinkd) ── wire (uelink cable) ── B (uelinkd) ── hostB
//	   eth0  edge0    link0  a               b  link0    edge0  eth0
//
// Where the daemons are bridges, A and B may have more hosts, hostC, hostD ..., at edge1, edge2 and so on.
//
//	bed       what the tests share: namespaces, daemons, hosts, traffic, waiting
//	links     frames across a link; outages, partners, sizes, TCP, bridges on the way
//	restarts  start, stop, kill, reload; the systemd unit, privileges
//	edges     hosts at an edge: made interfaces, interfaces in use, edges that stand still
//	pushback  edges that leave frames with the host until there is room, under faults of the veth
//	drivers   XDP modes, RX queues, programs of others, what support reports
//	bridges   uelinkd as a bridge: VLANs, the table of addresses
//	credits   virtual channels: credits, queues, trimming, PFC from end to end
//	lldp      LLDP and DCBX, with Debian's lldpd too
//	sai       libsai: programs in C
//	sonic     uelink sonic, with Debian's redis-server
//	tools     the tour, doctor, watch, Wireshark's dissector
//	tester    the test plans of uelink conformance, and the faults that they find
//	limits    too little of something, and frames that must not be believed
//	alerts    alerts and dashboard by a real Prometheus
//	web       the page for browsers
//	pods      uelink-cni, with cnitool and host-local; ports that come and go
//	packages  the Debian package and its scripts; the container image; Kubernetes, Ansible
//	chaos     every fault at random
//	nics      emulated NICs (make nics)
//
// LLDP and DCBX are also tested without hosts: a veth joins A (uelinkd) and B, and B runs another uelinkd, Debian's
// lldpd, or a socket that sends frames.
//
// Daemons also run by the systemd unit of deploy/, with its user, capabilities, system calls and file system: bed.Boot
// boots a systemd in namespaces of its own.
//
// Where the wire is good there is no cable: link0 of A and of B are the two ends of one veth. The tests need root;
// without root they are skipped, or fail when UELINK_E2E=required.
//
// Tests with load run one at a time: their processes share two cores. So several packages run by `go test -p 1`,
// without which go test runs packages beside each other. A test that mostly waits, and measures no rate, begins with
// t.Parallel: such tests run at the end, beside each other; `make e2e` runs those of all packages after all others.
// Tests of lldpd and Open vSwitch run alone, because all instances of those programs share directories.
//
// Each package builds uelinkd, uelink and uelink-cni, unless the variable UELINK_PROGRAMS names a directory that has
// them.
package e2e
