package bpf

import "github.com/cilium/ebpf/features"

// frags is the kernel from which on XDP programs take frames in several buffers
// (BPF_F_XDP_HAS_FRAGS): 5.18.
var frags = [2]uint32{5, 18}

// Since tells whether the kernel is of a version or later. One that does not tell counts as new:
// it says itself what it cannot do.
func Since(major, minor uint32) bool {
	running, err := features.LinuxVersionCode()
	return err != nil || running>>8 >= major<<8|minor
}
