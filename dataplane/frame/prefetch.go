//go:build amd64 || arm64

package frame

import "unsafe"

// Prefetch makes the CPU fetch the cache lines of b, and does not wait for them.
func Prefetch(b []byte) {
	if len(b) > 0 {
		prefetch(unsafe.SliceData(b), len(b))
	}
}

// prefetch prefetches each cache line (64 octets) of the n octets at p, n at least 1.
//
//go:noescape
func prefetch(p *byte, n int)
