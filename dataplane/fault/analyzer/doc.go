// Package analyzer measures a link from inside its wire: it sees the frames of both ways by one clock, as they arrive
// at the wire and as they leave it, and so knows which frames the wire lost, when the receiver asked for them, and
// when they came again.
//
// An Analyzer is a pure machine: frames and the time go in, counts and histograms come out. Its memory is bounded, and
// a frame allocates nothing.
package analyzer
