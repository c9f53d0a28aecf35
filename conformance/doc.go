// Package conformance runs the cases of SONiC's scale-up test standard against two ends of ours,
// and keeps what was expected and measured as that standard wants it: a row for each quantity,
// passed if it is equal where frames are counted, and within 5 % of theory where time is in it.
//
// A case runs over one or both of two kinds of ends:
//
//	memory  the frame path of the daemon over a wire in memory on a virtual clock (package lab).
//	        The wire drops exactly the frame, or keeps exactly the LLR_ACK or CC_Update, that the
//	        case names, has a rate, and takes frames of any size
//	veth    two real daemons in network namespaces, joined by `uelink cable` (package demo)
//
// Cases is the table of them; each family of cases has its files.
package conformance
