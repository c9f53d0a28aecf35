package bpf

import "github.com/cilium/ebpf/features"

// frags is the first kernel whose XDP programs accept frames in several buffers (BPF_F_XDP_HAS_FRAGS): 5.18.
var frags = [2]uint32{5, 18}

// KernelSince reports whether the kernel has the given version or a later one. A kernel of unknown version counts as
// new: its own errors then name the missing feature.
func KernelSince(major, minor uint32) bool {
	running, err := features.LinuxVersionCode()
	return err != nil || running>>8 >= major<<8|minor
}
