// Package kernel is the load of the benchmarks: XDP programs that send, count, answer and reflect frames (bench.c).
// So the device under test has its core to itself, and every forwarder gets the same load.
package kernel

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package kernel bench bench.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
