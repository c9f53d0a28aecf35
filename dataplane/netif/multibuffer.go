package netif

import (
	"errors"
	"fmt"

	"uelink/bpf"
	"uelink/dataplane/netdev"
	"uelink/dataplane/xsk"
)

// MultiBuffer is why frames on an interface cannot take several chunks while its program runs in a
// mode, or nil if they can: errors.ErrUnsupported, with what is missing. In generic mode the kernel
// does it for every driver. It is called in the interface's network namespace.
func MultiBuffer(ifindex int, mode bpf.Mode) error {
	if err := xsk.MultiBuffer(); err != nil || mode == bpf.ModeGeneric {
		return err
	}
	able, err := netdev.Get(ifindex)
	if err != nil {
		return err
	}
	if able.MultiBuffer() == netdev.No {
		return fmt.Errorf("its driver takes no frames in several buffers (it has %v, and not rx-sg): %w", able.XDP,
			errors.ErrUnsupported)
	}
	return nil
}
