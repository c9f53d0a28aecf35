// Package lldp implements the Link Layer Discovery Protocol (IEEE 802.1AB-2016): the codec of
// LLDPDUs, the local system data, and one Agent per port and destination address with the transmit,
// transmit timer and receive machines.
//
// Every part is pure. The port's state, received frames and now (a wire.Time) are
// arguments; frames to send and events are appended to the caller's slices. One goroutine owns an
// Agent. A Provider adds organizationally specific TLVs to sent LLDPDUs and reads the neighbours'
// ones (UE, DCBX).
//
// A loop drives an agent over a socket:
//
//	1  Agent.SetPortEnabled, SetAdminStatus, SetLocal when the port's state or the system data change
//	2  Agent.Receive for every received frame
//	3  Agent.Poll, and send the frame that Poll appends, if any
//	4  sleep until a frame arrives or Agent.Deadline
package lldp
