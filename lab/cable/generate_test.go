package cable

import (
	"testing"

	"uelink/bpf/bpftest"
)

func TestGenerated(t *testing.T) { bpftest.Generated(t, "wire", "wire") }
