package plan

import (
	"strings"
	"testing"
)

// A wire between interfaces that are not there is refused, and leaves nothing to end.
func TestWireBetweenNothing(t *testing.T) {
	near := func(f func() error) error { return f() }
	r, err := plug(near, "uelink-none0", "uelink-none1")
	if err == nil || !strings.Contains(err.Error(), "uelink-none0") || r != nil {
		t.Fatalf("%v, %v", r, err)
	}
	if err := r.close(); err != nil {
		t.Error(err)
	}
	if err := r.clear(); err != nil {
		t.Error(err)
	}
}
