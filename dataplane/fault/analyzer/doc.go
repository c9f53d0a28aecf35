// Package analyzer measures a link from inside its wire. The analyzer sees the frames of both ways by one clock, at
// their arrival at the wire and at their leaving. So the analyzer knows lost frames, the receiver's requests for them,
// and their repetitions.
//
// An Analyzer is a pure machine: frames and the time go in, counts and histograms come out. Its memory is bounded, and
// a frame allocates nothing.
package analyzer
