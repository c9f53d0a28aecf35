// Package ue negotiates Ultra Ethernet link features between the two ends of a link by LLDP
// (UE-LINK §5): the octets of the Link Negotiation TLV, of the CBFC TLV and of private TLVs for the credit size and
// for the wishes of two uelinkd for DCBX, and the negotiation of one port, which is an lldp.Provider.
//
// The package has no socket, clock or lock. The LLDP agent passes the neighbours' TLVs; the outcome is a Result, which
// the owner of the port puts into effect.
package ue
