// Package comparison compares the two link protocols over the same bad wires, in memory and on a virtual clock, so that
// every figure is the same on each machine: LLR with CBFC (NACK, whole frames, absolute credits) and HIPPI-6400-PH
// (timeout only, micropackets, increments). Contestants between the two have one of these properties changed at a time.
// The test with -rewrite writes the tables and plots of docs/HIPPI.md.
package comparison
