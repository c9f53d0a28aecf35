// Package conformance runs the cases of SONiC's scale-up test standard against two uelink ends. Expected and measured
// values are recorded in the form of the standard: a row for each quantity. A count passes if it is equal; a value
// that depends on time passes within 5 % of theory.
//
// A case runs over one or both of two kinds of ends:
//
//	memory  the frame path of the daemon over a wire in memory on a virtual clock (package lab).
//	        The wire drops exactly the frame, or keeps exactly the LLR_ACK or CC_Update, that the
//	        case names, has a rate, and takes frames of any size
//	veth    two real daemons in network namespaces, joined by `uelink cable` (package demo)
//
// Cases is the table of all cases; each family of cases has its files.
package conformance
