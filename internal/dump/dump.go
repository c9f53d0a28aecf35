// Package dump asks netlink for lists again whose answer was interrupted.
package dump

import (
	"errors"

	"github.com/vishvananda/netlink"
)

// tries is how often All asks for a list. A list is answered in several messages; the kernel marks the answer as
// interrupted if the objects of the list have changed between two messages, so a busy host may need several tries.
const tries = 20

// All calls list until the answer is no longer interrupted (netlink.ErrDumpInterrupted), at most tries times, and
// returns the last answer.
func All[T any](list func() ([]T, error)) (all []T, err error) {
	for range tries {
		if all, err = list(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			break
		}
	}
	return all, err
}
