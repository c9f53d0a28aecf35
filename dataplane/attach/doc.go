// Package attach names the ways to attach an interface: where its XDP program runs, what becomes of native frames
// (frames that are not of the link protocol), how its sockets are opened and bound, which queues have a socket, and by
// which way frames leave.
//
// The package has values only, so that settings and state can name the ways without importing the code that attaches
// interfaces: packages bpf, xsk and netif.
package attach
