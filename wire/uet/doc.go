// Package uet is the headers of the Ultra Ethernet transport: the outer header of its security
// sublayer (TSS), those of packet delivery (PDS) and those of its semantic sublayer (SES), in
// two dialects: that of UE-SES, and that of public UE 1.0. PDS and TSS have one.
//
// Everything stands in tables of fields (table_*.go). Parse cuts a packet into its headers by
// them, and Classifier.Classify says in a few nanoseconds what kind of UET packet an Ethernet
// frame is. Both are pure, allocate nothing and fail on no input.
//
// Where UE-SES disagrees with itself: a table of fields counts more than a drawing, the size
// in a heading more than the sum of the fields, and gaps are reserved.
package uet
