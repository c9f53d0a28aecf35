package dump

import (
	"errors"
	"slices"
	"testing"

	"github.com/vishvananda/netlink"
)

// An interrupted answer is asked for again, up to a bound; another error and a whole answer are returned at once.
func TestAll(t *testing.T) {
	other := errors.New("another error")
	for _, c := range []struct {
		answers []error // of the calls in order; the last is that of all later calls
		calls   int
		want    error
	}{
		{[]error{nil}, 1, nil},
		{[]error{netlink.ErrDumpInterrupted, netlink.ErrDumpInterrupted, nil}, 3, nil},
		{[]error{netlink.ErrDumpInterrupted, other}, 2, other},
		{[]error{netlink.ErrDumpInterrupted}, tries, netlink.ErrDumpInterrupted},
	} {
		calls := 0
		all, err := All(func() ([]int, error) {
			calls++
			return []int{calls}, c.answers[min(calls, len(c.answers))-1]
		})
		if calls != c.calls || !errors.Is(err, c.want) || !slices.Equal(all, []int{calls}) {
			t.Errorf("%v: %v, %v after %d calls", c.answers, all, err, calls)
		}
	}
}
