// Package layout describes headers by tables of fields, and reads, writes and checks a header
// by its table. It is pure: no state, no allocation, no panic on input.
//
// A Format is one header: its length and its fields. A Header is a Format and the octets that
// it describes:
//
//	h, fault := format.Over(packet)   // long enough?
//	h.Value(field)                    // cannot fail any more
//	fault = h.Check()                 // reserved bits, limits of values
//
// The same tables are what the dissector for Wireshark, the test vectors and the documentation
// are made from.
package layout
