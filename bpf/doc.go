// Package bpf steers frames: an XDP program on each interface that the daemon
// owns hands frames to AF_XDP sockets, to the kernel or to nobody, and counts
// them by verdict.
//
// The program is steer.c. What clang makes of it is committed, so that building
// needs no clang; go generate makes it anew with clang 14, octet for octet.
//
//	p, err := bpf.Attach(ifindex, bpf.Config{}, bpf.ModeAuto)
//	err = p.Register(queue, socket.FD())
//	err = p.Reconfigure(bpf.Config{Link: true, Native: bpf.NativeDrop}) // no frame is missed
//	err = p.Close()
//
// A bpf_link holds a program on its interface, also one that is not of this package
// (AttachProgram).
package bpf

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package bpf steer steer.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
