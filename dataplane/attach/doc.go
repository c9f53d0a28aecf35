// Package attach names the ways to attach an interface: where its XDP program runs, what becomes of native frames, how
// its sockets are opened and bound, which queues have one, and by which way frames leave.
//
// The package has values only, so that settings and state can name the ways without the code that goes them: packages
// bpf, xsk and netif.
package attach
