// Package cable is a bad wire between two network interfaces: what arrives at
// one leaves at the other, but for what the wire loses, damages, duplicates,
// overtakes or delays. It knows nothing of what the frames mean.
//
// Loss and corruption alone are done in the kernel, by an XDP program on each
// interface (wire.c) that redirects to the other. Everything else takes the
// frames through AF_XDP sockets and package fault.
package cable

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package cable -type wire wire wire.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
