// Package dcbnl programs the outcome of DCBX into a network interface: the priority groups and the
// priorities with flow control, by the kernel's DCBNL (rtnetlink RTM_SETDCB, linux/dcbnl.h) in its CEE
// form or in its IEEE form, as the dialect of DCBX is. The commands of the CEE form, in order:
//
//	1  let the host, not the NIC's firmware, run DCBX in its CEE version, unless it does already
//	2  switch DCB on
//	3  set the groups of each traffic class and the bandwidth of each group, sending and receiving
//	4  set the priorities with flow control, and switch flow control on if there are any
//	5  put all settings into effect
//
// The commands of the IEEE form:
//
//	1  as above, in its IEEE version
//	2  set ETS and PFC
//	3  read all settings; remove Application entries that contradict or that an earlier outcome had, add those that
//	   are missing
//	4  compare the settings that were read with those set
//
// Before the first command the former settings of the NIC are read, in the form of its mode. They are restored at the
// end.
//
// The driver decides how each command changes the NIC. Many drivers reset the NIC at the last command,
// and the link goes down for a moment. Therefore the daemon programs a NIC only if configured to.
package dcbnl
