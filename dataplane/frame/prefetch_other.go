//go:build !amd64 && !arm64

package frame

// Prefetch does nothing: this CPU has no prefetch instruction that uelink knows.
func Prefetch([]byte) {}
