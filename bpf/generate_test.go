package bpf

import (
	"testing"

	"uelink/bpf/bpftest"
)

func TestGenerated(t *testing.T) { bpftest.Generated(t, "steer", "steer", "kernel.h") }
