// Package agent runs the LLDP agents of a station on its network interfaces, by
// AF_PACKET sockets that receive EtherType 88-CC and nothing else, whatever else
// the interfaces are used for.
//
// One goroutine, Run, owns every agent. What it does, over and over:
//
//	1  follow the interfaces: there, up, renamed, deleted, another address
//	2  take frames from the sockets, a bounded number from each
//	3  let the machines run; send what they give; tell what has happened
//	4  sleep until a socket, a change of an interface, a request or the earliest deadline
//
// The other methods may be called from any goroutine.
package agent
