// Package layout describes headers by tables of fields, and reads, writes and checks a header by its
// table. The package is pure: no state, no allocation, no panic on input.
//
// A Format is the layout of one header: length and fields. A Header is a Format with octets:
//
//	h, fault := format.Over(packet)   // checks the length
//	h.Value(field)                    // cannot fail any more
//	fault = h.Check()                 // reserved bits, limits of values
//
// The dissector for Wireshark, the test vectors and the documentation are generated from the same
// tables.
package layout
