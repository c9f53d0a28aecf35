// Package uet describes the headers of the Ultra Ethernet transport: the outer header of the
// security sublayer (TSS), the headers of packet delivery (PDS), and the headers of the semantic
// sublayer (SES) in two dialects, UE-SES and public UE 1.0. PDS and TSS have one dialect.
//
// All headers are tables of fields (table_*.go). Parse cuts a packet into headers by the tables.
// Classifier.Classify determines the kind of UET packet in an Ethernet frame in a few nanoseconds.
// Both are pure, do not allocate and fail on no input.
//
// Where UE-SES contradicts itself, a table of fields takes precedence over a drawing, and the size
// in a heading over the sum of the fields; gaps are reserved.
package uet
