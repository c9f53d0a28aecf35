package netif

import (
	"errors"
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/netdev"
	"uelink/dataplane/xsk"
)

// MultiBuffer returns nil if frames on an interface can take several chunks while the program runs in the given
// mode; else errors.ErrUnsupported, with the missing feature. In generic mode the kernel supports several chunks
// for every driver. MultiBuffer is called in the interface's network namespace.
func MultiBuffer(ifindex int, mode attach.Mode) error {
	if err := xsk.MultiBuffer(); err != nil || mode == attach.ModeGeneric {
		return err
	}
	able, err := netdev.Get(ifindex)
	if err != nil {
		return err
	}
	if able.MultiBuffer() == netdev.No {
		return fmt.Errorf("the driver supports no frames in several buffers (the driver has %v, and not rx-sg): %w", able.XDP,
			errors.ErrUnsupported)
	}
	return nil
}
