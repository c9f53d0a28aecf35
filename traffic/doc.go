// Package traffic sends numbered, checksummed frames between two interfaces,
// both ways at once, and says exactly what became of them: lost, duplicated,
// reordered, corrupted, and how long they took.
//
// Both ends obey PFC, and a slow sink sends it: package pfc.
//
// One goroutine drives both ends, so it knows what was delivered and keeps a
// window between sender and receiver: an edge ring never overruns, and whatever
// is missing was lost by what lies in between. The engine moves frames over
// frame.Device only; open.go puts AF_XDP sockets of our own under it.
package traffic
