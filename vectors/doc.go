// Package vectors makes the test vectors of docs/vectors from the tables of fields: frames of
// UET in both dialects, and of everything that two ends of a link say to each other, with the
// value and the place of each field. It also writes the tables into the dissector for Wireshark.
//
// What a vector says of its fields is what was put into the octets, not what a decoder makes of
// them. Only its faults are in the words of package decode; a test types some of them by hand.
package vectors
