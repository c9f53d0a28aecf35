// Package decode takes Ethernet frames of a link apart, for people to look at: the shim and the
// frame that it carries, control frames and their control ordered sets, CC_Update, the TLVs of
// Ultra Ethernet and of DCBX in LLDP, and UET. It says what each field is called, where it is,
// and what its value means, and names what is wrong with the frame.
//
// The fields are those of tables: wire/uet has those of UET, table_*.go the others. The names
// are those that deploy/wireshark/uelink.lua gives them in Wireshark, so one display filter
// serves both; for DCBX they are Wireshark's own. Whether a message is right is for the codecs
// of wire, lldp/ue and wire/uet to say, as in the daemon.
package decode
