// Package explore visits the states of one direction of a link breadth first: the real machines of packages
// llr and cbfc at both ends, put together as the data plane does, and a wire between them. There are no
// files but tests.
//
// Number spaces are tiny: sequence numbers modulo 8 with a window of 3, credit counts modulo 16, two
// virtual channels. On VC 0 a frame costs one credit of two, on VC 1 two of three. VC 1 stops and starts. The
// wire keeps the order, carries a few packets at a time (-explore.data, -explore.control), and may lose, double
// and damage each. Time stands still but for timers, any of which may expire whenever it runs.
//
//	A ── frames, CC_Update ──► B        A: llr.Tx, cbfc.Port.Tx     B: llr.Rx, cbfc.Port.Rx, buffers
//	A ── LLR_INIT, VC ───────► B
//	A ◄─ LLR_ACK, CF, VC ───── B
//
// A state is the memory of the machines, as it differs from that of the first state, and what is on the
// wire. Two states are the same but for what has no influence (counters, what is learned of times) and for
// where their numbers stand: they are moved so that every window lies across the end of its number space.
//
// Each case is a part of what may happen, from a state of rest or from the very first one; a part
// goes deeper for as many states. make simulate visits 200,000 of each, a test 20,000, and
// go test ./explore -v -timeout 1h -explore.states 5000000 five million.
//
// How to read the output:
//
//	states       states that were visited, each checked by invariants
//	transitions  steps from one to another; their quotient is how much may happen in a state
//	depth        steps from the first state to the last one that was visited
//	complete     whether there was nothing left to visit, or -explore.states was reached
//	to rest      states from which the good wire was seen to lead to rest, of those that were visited
//
// A violation prints what is wrong, and the steps that lead there from the first state: the shortest
// there is.
package explore
