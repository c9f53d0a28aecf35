// Package topology builds labs from files: hosts, stations (daemons) and wires with faults, each in a network namespace
// of its own.
//
//	h1 ─ A (uelinkd) ─ wire0 (uelink cable) ─ B (uelinkd) ─ h2
//	 eth0 h1      link0  a               b  link0       h2  eth0
//
// A Document is what a file says, checked as strictly as the configuration of the daemon, with the same messages. A Lab
// is the running processes and interfaces of a Document.
package topology
