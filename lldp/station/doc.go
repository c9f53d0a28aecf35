// Package station runs the LLDP agents of a station on its network interfaces, over AF_PACKET sockets
// that receive only EtherType 88-CC. Any other use of the interfaces is unaffected.
//
// One goroutine, Run, owns every agent. In each round it
//
//	1  follows the interfaces: present or absent, up or down, renamed, another address
//	2  reads frames from the sockets, a bounded number from each
//	3  runs the machines, sends their frames and reports their events
//	4  sleeps until a frame, a change of an interface, a request or the earliest deadline
//
// The other methods may be called from any goroutine.
package station
