// Package cable is a bad wire between two network interfaces: frames that arrive at one leave at the other, but some
// are lost, damaged, duplicated, overtaken or delayed. The cable does not look into the frames.
//
// Loss and corruption alone run in the kernel: a program on each interface (wire.c) redirects frames to the other
// interface, by XDP where the other ends of veths take XDP frames, else as skbs by TCX or clsact. For everything else,
// frames pass AF_XDP sockets and package fault. A cable on one interface decides at its ingress, in the kernel, and
// redirects nothing.
package cable

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package cable -type wire wire wire.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
