// Package xsk moves frames over AF_XDP sockets: one Socket for one RX queue of
// one interface, with a UMEM of its own. It is a frame.Device. To the kernel it is
// two sockets: one sends, the other one receives and is waited at.
//
// The path of a frame through a Socket:
//
//  1. Open puts the addresses of all RX chunks on the fill ring.
//  2. The kernel takes one, copies (or has the NIC write) a frame into the
//     chunk, XDP_PACKET_HEADROOM octets in, and puts a descriptor on the RX ring.
//  3. Receive takes descriptors from there; the chunks are the caller's.
//  4. Recycle puts the chunks back on the fill ring.
//  5. Transmit puts descriptors of TX slots on the TX ring.
//  6. Kick has the kernel take them. In copy mode it builds the skbs in that very
//     system call; a NIC with zero copy is merely woken.
//  7. When a frame has left, the kernel puts its address on the completion ring,
//     in the order in which frames were let go, and Completed takes it from there.
//
// The four rings are memory shared with the kernel, each with one writer and one
// reader. The index of the side that writes entries is stored after them and
// loaded before them: sync/atomic gives that order, and more.
//
// Everything unsafe is in memory.go.
package xsk
