// Package lldp is the Link Layer Discovery Protocol (IEEE 802.1AB-2016): the
// codec of LLDPDUs, the local system data, and one Agent per port and
// destination address with the transmit, transmit timer and receive machines.
//
// All of it is pure: the state of the port, received frames and now
// (nanoseconds, monotonic) are arguments; frames to send and events are appended
// to memory of the caller. One goroutine owns an Agent. Organizationally
// specific TLVs that mean something to others (UE, DCBX) come from and go to a
// Provider.
//
// How a socket drives an agent, over and over:
//
//	1  Agent.SetPortEnabled, SetAdminStatus, SetLocal when these change
//	2  Agent.Receive for every frame that came
//	3  Agent.Poll, and send the frame that it gives, if any
//	4  sleep until something comes or Agent.Deadline
package lldp

import "math"

// never is the deadline of a machine that waits for nothing.
const never = math.MaxInt64

const second = 1_000_000_000
