// Package vectors makes the test vectors of docs/vectors from the tables of fields: frames of UET in both dialects,
// and all messages between two ends of a link, with the value and the place of each field. It also writes the tables
// into the dissector for Wireshark.
//
// The fields of a vector are the values put into its octets, not a decoder's output. Only the faults are in the words
// of package decode; a test has some of the faults typed by hand.
package vectors
