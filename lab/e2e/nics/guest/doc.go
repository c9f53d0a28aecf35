// Package guest runs inside a virtual machine of the lab, as its first process: a script of tests with real daemons
// on emulated NICs. The host gives it a task over a serial line.
//
//	hostA ── A (uelinkd) ── NIC a ═ wire ═ NIC b ── B (uelinkd) ── hostB
//	   eth0  edge0    link0                   link0    edge0  eth0
//
// Numbered frames go from host to host, both ways at once, while a fault is applied to NIC a or to the daemon in A.
//
//	protocol.go  messages on the line
//	init.go      the first process
//	session.go   a script and its line
//	doctor.go    the output of uelink doctor for a NIC
//	nic.go       finding and placing NICs
//	bed.go       namespaces, daemons, LLR
//	load.go      numbered frames
//	chain.go     two guests on bad wires
//	echo.go      conversations of hosts, over TCP and UDP
//	hosted.go    a daemon that creates a veth for the host
//	inuse.go     a link on NICs that carry connections of the hosts
//	steps.go     the steps of such a link
//	looks.go     the visible settings of a host's interfaces
//	crossing.go  two guests with such a veth, on a clean and on a lossy wire
//	fault.go     a fault, and the frames during it
//	veth.go      a link over a veth, without NICs
//	plain.go     the same on NICs without uelink
//	datagrams.go datagrams between such NICs
//	faults_*.go  the faults
//
// A new test is a function in scripts, or a fault in the list of faults.
package guest
