// Package kernel is the load of the benchmarks: XDP programs that send, count,
// answer and reflect frames, so that the device under test has its core to itself
// and meets the same load as every other forwarder (bench.c).
package kernel

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -target bpfel -go-package kernel bench bench.c -- -O2 -g -mcpu=v3 -Wall -Wextra -Werror
