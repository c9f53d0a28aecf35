package netif

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// olderThan reports whether this kernel is older than Linux major.minor, and returns its release. A release that cannot
// be parsed counts as not older.
func olderThan(major, minor int) (release string, older bool, err error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", false, fmt.Errorf("read the kernel's release: %w", err)
	}
	release = unix.ByteSliceToString(u.Release[:])
	return release, before(release, major, minor), nil
}

// before reports whether a release, such as "6.1.0-50-amd64", is older than major.minor.
func before(release string, major, minor int) bool {
	var first, second int
	n, _ := fmt.Sscanf(release, "%d.%d", &first, &second)
	return n == 2 && (first < major || first == major && second < minor)
}
