// Package traffic sends numbered, checksummed frames between two interfaces, both ways at once, and counts exactly
// how many were lost, duplicated, reordered or corrupted, and how long they took.
//
// Both ends obey PFC, and a slow sink sends PFC: package pfc.
//
// One goroutine drives both ends. So it knows every delivery and keeps a window between sender and receiver: an edge
// ring never overruns, and a missing frame was lost between the ends. The engine moves frames by frame.Device only;
// open.go opens AF_XDP sockets for it.
package traffic
