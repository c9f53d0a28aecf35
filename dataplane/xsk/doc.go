// Package xsk moves frames over AF_XDP sockets: one Socket for one RX queue of one interface, with a UMEM of its
// own. A Socket is a frame.Device, made of two kernel sockets: one sends, the other receives and is polled.
//
// The path of a frame through a Socket:
//
//  1. Open puts the addresses of all RX chunks on the fill ring.
//  2. The kernel takes a chunk from the fill ring, copies (or lets the NIC write) a frame into the
//     chunk, XDP_PACKET_HEADROOM octets in, and puts a descriptor on the RX ring.
//  3. Receive reads descriptors from the RX ring; the chunks are the caller's.
//  4. Recycle puts the chunks back on the fill ring.
//  5. Transmit puts descriptors of TX slots on the TX ring.
//  6. Kick makes the kernel read the TX ring. In copy mode the kernel builds the skbs in that very
//     system call; a NIC with zero copy is merely woken.
//  7. When a frame has left, the kernel puts its address on the completion ring,
//     in the order in which the frames were freed, and Completed reads it from there.
//
// The four rings are memory shared with the kernel, each with one writer and one reader. The writer of entries
// stores its index after the entries, and the reader loads that index before the entries: sync/atomic gives that
// order, and more.
//
// Everything unsafe is in memory.go.
package xsk
