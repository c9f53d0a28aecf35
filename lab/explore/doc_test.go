// Package explore visits the states of one direction of a link breadth first: the real machines of packages llr and
// cbfc at both ends, combined as in the data plane, and a wire between them. The package has only test files.
//
// Number spaces are tiny: sequence numbers modulo 8 with a window of 3, credit counts modulo 16, two virtual
// channels. On VC 0 a frame costs one credit of two, on VC 1 two of three. VC 1 stops and starts. The wire keeps the
// order, carries a few packets at a time (-explore.data, -explore.control), and may lose, duplicate and damage each.
// Time stands still except for timers; any running timer may expire.
//
//	A ── frames, CC_Update ──► B        A: llr.Tx, cbfc.Port.Tx     B: llr.Rx, cbfc.Port.Rx, buffers
//	A ── LLR_INIT, VC ───────► B
//	A ◄─ LLR_ACK, CF, VC ───── B
//
// A state is the memory of the machines, as a difference from the first state, and the packets on the wire. States
// that differ only in fields without influence (counters, measured times) count as one, as do states that differ only
// in the positions of their number spaces: the numbers are moved so that every window lies across the end of its
// space.
//
// Every case runs by both kinds of replay. In selective replay B keeps up to 4 frames behind a gap, and may lose them;
// a frame outstanding is young, and the answer to a copy is that of the sending before, until A finds it overdue.
//
// Each case is a subset of the possible steps, from a state at rest or from the very first state; with the same
// number of states a subset goes deeper. make simulate visits 200,000 states of each case, a test 20,000, and go test
// ./explore -v -timeout 1h -explore.states 5000000 five million.
//
// How to read the output:
//
//	states       visited states, each checked by invariants
//	transitions  steps from a state to another; the quotient is the number of possible steps in a state
//	depth        steps from the first state to the last visited state
//	complete     whether all states were visited, or -explore.states was reached
//	to rest      visited states from which a good wire was checked to lead to rest
//
// A violation prints the fault and the shortest sequence of steps that leads there from the first state.
package explore
