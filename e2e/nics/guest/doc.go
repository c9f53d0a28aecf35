// Package guest is what runs inside a virtual machine of the lab, as its first process: a script of
// tests with real daemons on emulated NICs. The host tells it over a serial line what to do.
//
//	hostA ── A (uelinkd) ── NIC a ═ wire ═ NIC b ── B (uelinkd) ── hostB
//	   eth0  edge0    link0                   link0    edge0  eth0
//
// Numbered frames go from host to host, both ways at once, while a fault is done to NIC a or the
// daemon in A.
//
//	protocol.go  what is said over the line
//	init.go      the first process
//	session.go   a script and its line
//	doctor.go    what uelink doctor says of a NIC
//	nic.go       finding and placing NICs
//	bed.go       namespaces, daemons, LLR
//	load.go      numbered frames
//	chain.go     two guests on bad wires
//	echo.go      conversations of hosts, over TCP and UDP
//	hosted.go    a daemon that makes a veth for the host
//	inuse.go     a link on NICs that hosts have connections across
//	steps.go     the steps of such a link
//	looks.go     what a host shows of its interfaces
//	crossing.go  two guests with such a veth, on a clean and on a lossy wire
//	fault.go     a fault and what becomes of the frames
//	plain.go     the same on NICs without uelink
//	datagrams.go datagrams between such NICs
//	faults_*.go  the faults
//
// A new test is a function in scripts, or a fault in the list of faults.
package guest
