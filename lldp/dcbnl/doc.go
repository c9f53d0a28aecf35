// Package dcbnl programs what DCBX has agreed into a network interface: its
// priority groups and the priorities with flow control, by the kernel's DCBNL
// (rtnetlink RTM_SETDCB, linux/dcbnl.h) in its CEE form.
//
//	1  the host, not the NIC's firmware, runs DCBX, in its CEE version
//	2  DCB is on
//	3  groups of each traffic class and the bandwidth of each group, sending and receiving
//	4  flow control of each priority, and whether there is any
//	5  all of it takes effect
//
// The driver decides what each step does to the NIC; many reset it in the last
// one, and the link goes down for a moment. So nothing here is done unless asked
// for.
package dcbnl
