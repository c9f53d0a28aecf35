// Package vnet moves super-frames between the kernel of an edge's host and the daemon: frames of up to 64 kB, as TCP
// hands them to an interface that cuts and joins.
//
// A packet socket with a virtio_net_hdr on the daemon's end of a veth receives the host's super-frames uncut, and sends
// super-frames to the host. A Device cuts and joins them (package segment), and is a frame.Device of ordinary frames on
// the memory of the AF_XDP socket below it:
//
//  1. Receive reads a super-frame by one system call, and cuts it into places of the memory, as many as there is room
//     for. The rest stays in the Device until the next Receive.
//  2. Transmit posts frames in their TX slots.
//  3. Kick sends the posted frames, consecutive segments of a flow by one system call from their slots.
//
// While a Device receives and sends, no XDP program is on the interface: the AF_XDP socket keeps memory and rings, gets
// no frames, and takes over again when the Device ends.
package vnet
