// Package bpf steers frames: an XDP program on each interface that the daemon owns passes frames to AF_XDP sockets,
// to the kernel or to nobody, and counts frames by verdict.
//
// The program is steer.c. The compiled objects are committed, so that building needs no clang; go generate compiles
// the sources with clang 14 to the same objects, octet for octet.
//
//	p, err := bpf.Attach(ifindex, bpf.Config{}, attach.ModeAuto)
//	err = p.Register(queue, socket.FD())
//	err = p.Reconfigure(bpf.Config{Link: true, Native: attach.NativeDrop}) // no frame is missed
//	err = p.Close()
//
// A Transmitter sends frames without an skb, by runs of the attached program that go on in transmit.c. Transmitters of
// one Sharing can send each other's frames, so that one system call serves several interfaces.
//
// A bpf_link holds a program on its interface, also a program of another package (AttachProgram).
package bpf

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package bpf steer steer.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package bpf transmit transmit.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package bpf tag tag.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
