// Package decode decodes Ethernet frames of a link for people to read: the shim and the carried frame, control frames
// and their control ordered sets, CC_Update, frames of micropackets (HIPPI-6400-PH), the TLVs of Ultra Ethernet and
// of DCBX in LLDP, and UET. For each field it gives the name, the place and the meaning of the value, and it names
// the faults of the frame.
//
// The fields come from tables: wire/uet has the tables of UET, table_*.go all others. A field of a table has the name
// that deploy/wireshark/uelink.lua gives it in Wireshark, so one display filter serves both. Fields of DCBX have
// Wireshark's own names. Whether a message is valid is decided by the codecs of wire, lldp/ue and wire/uet, as in the
// daemon.
package decode
