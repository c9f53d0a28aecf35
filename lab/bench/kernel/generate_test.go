package kernel

import (
	"testing"

	"uelink/bpf/bpftest"
)

func TestGenerated(t *testing.T) {
	bpftest.Generated(t, "bench", "bench", "bench.h", "source.h", "numbers.h")
}
