// Package rule is the rules of a bad wire: which frames, and which messages in them, the wire loses, damages, repeats,
// holds, changes or adds, and how often. A rule is a line of words; docs/TESTER.md has the language.
//
// A Wire is a pure machine: frames of both ways and the time go in, and what is to leave comes out. It reads no clock,
// and its memory is bounded.
package rule
