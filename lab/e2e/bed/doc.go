// Package bed has what the tests with real daemons share: namespaces and the wires between them (Topology), daemons
// (Daemon, Pair) and calls of uelink, hosts that send frames (Packets, Talker, Load), waiting (Eventually), and the
// TestMain of each package (Main).
//
// A test has its topology and daemons in a few lines, and all of it ends with the test:
//
//	top := bed.Direct(t)
//	p := top.Daemons(bed.Lossless)
//	c := top.Between()
//	c.Frames = 10_000
//	bed.Untouched(t, c)
//	p.A.Tool("llr", "counters").Succeeds()
package bed
