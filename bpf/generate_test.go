package bpf

import (
	"testing"

	"uelink/bpf/bpftest"
)

func TestGenerated(t *testing.T) {
	bpftest.Generated(t, "steer", "steer", "kernel.h", "transmit.c", "tag.c")
	bpftest.Generated(t, "transmit", "transmit", "kernel.h", "steer.c", "tag.c")
	bpftest.Generated(t, "tag", "tag", "kernel.h", "steer.c", "transmit.c")
}
