// Package path moves frames between edge ports and link ports. Its workers are the threads that do so; what waits for
// the kernel or the operator is in package dataplane, which gives the ports their sockets and settings.
//
// A worker steps its domains round by round. In each round a domain does this, in the order of Domain.Step:
//
//  1. Complete (tx_ring.go): the TX slots that the kernel has sent become free.
//  2. Receive from the links (rx_link.go, rx_native.go): a batch from each RX ring, whether or not the neighbours have
//     room. Control frames first, because acknowledgements free slots. Then the data frames: the shim is parsed, the
//     FCS image checked, and LLR decides whether the frame is delivered. In selective replay a frame behind a missing
//     one is kept in its chunk, and delivered when its turn has come and there is room behind the link (kept.go).
//  3. Serve the links (serve_link.go): LLR's ordered sets leave as one control frame, before any data. Slots that LLR
//     replays are posted again, without a copy.
//  4. Receive from the edges (rx_edge.go): a batch, parsed, with checksums finished that the host has left unfinished,
//     and classified.
//  5. Forward (forward.go): an xconnect has one egress, a bridge looks the egress up (bridging.go). If nothing is ahead
//     of the frame and the gates are open, the frame is copied into a TX slot at once; from a link to an edge in the
//     pass that checks its FCS image. Else the frame waits in a queue of the egress (queue.go), in the chunk that it
//     was received in (source.go). A queue with trimming but without room trims the frame into the queue of trimmed
//     frames (trimming.go).
//  6. Send the waiting frames (forward.go, egress.go): the scheduler picks a queue whose gates are open: the host's PFC
//     (pause.go), credits (credits.go), LLR's window. The frame is copied into a TX slot (tx_link.go, tx_edge.go), and
//     its chunk and its credits are returned.
//  7. Flush (flush.go, tx_ring.go): one system call for each port with posted slots. While a crowd of frames waits in
//     an RX ring, a port's slots are held back for the next rounds, so that one call sends more.
//  8. Ask (ask.go, pump.go): an edge that pushes back asks the kernel for the frames of the next rounds, if its RX ring
//     is empty and there is room behind it. Without room its frames stay with the host.
package path
