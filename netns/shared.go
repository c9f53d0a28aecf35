package netns

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shareMountDir makes /run/netns a shared mount, as `ip netns add` does before
// the first name. If it were left to iproute2, its mount would come to lie over
// the names that were there before, and they could not be removed any more.
func shareMountDir() error {
	if err := os.MkdirAll(Dir, 0o755); err != nil {
		return err
	}
	dir, err := os.Open(Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	// The lock that iproute2 takes for the same purpose; closing lets go of it.
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", Dir, err)
	}
	share := func() error { return unix.Mount("", Dir, "none", unix.MS_SHARED|unix.MS_REC, "") }
	if err := share(); !errors.Is(err, unix.EINVAL) {
		return err
	}
	if err := unix.Mount(Dir, Dir, "none", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s: %w", Dir, err)
	}
	return share()
}
