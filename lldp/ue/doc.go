// Package ue is how two ends of a link agree on Ultra Ethernet link features by
// LLDP (UE-LINK §5): the octets of the Link Negotiation TLV and of the CBFC TLV, and of one of our own,
// and the negotiation of one port, which is an lldp.Provider.
//
// It is pure: what the neighbours send comes from the LLDP agent, and what both
// ends can do is a Result, for the owner of the port to put into practice.
package ue
