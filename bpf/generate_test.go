package bpf

import (
	"testing"

	"uelink/bpf/bpftest"
)

func TestGenerated(t *testing.T) {
	bpftest.Generated(t, "steer", "steer", "kernel.h", "transmit.c")
	bpftest.Generated(t, "transmit", "transmit", "kernel.h", "steer.c")
}
