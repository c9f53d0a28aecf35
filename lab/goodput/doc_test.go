// Package goodput maps the share of a wire's rate that LLR carries, by rate, loop time and loss. Its model is discrete
// events around two llr.Link in virtual time, in which the ends need no CPU: so every figure is the same on each
// machine. The figures stand beside the theory of go-back-N, and beside capacities that were published of LinkGuardian.
// The test with -rewrite writes the tables of docs/GOODPUT.md.
package goodput
