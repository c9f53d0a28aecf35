// Package micropacket holds the formats of a HIPPI-6400-PH link: the micropacket with its control bits and two CRCs,
// the MAC and LLC/SNAP header of a Message, the 4b/5b line code, and the Ethernet frame of micropackets.
//
// The package is pure: no state, no allocation, no panic on input.
package micropacket
