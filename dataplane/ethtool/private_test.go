package ethtool

import (
	"errors"
	"maps"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFlagsOf(t *testing.T) {
	want := map[string]bool{"fw-lldp-agent": true, "legacy-rx": false, "mdd-auto-reset-vf": true}
	if got := flagsOf([]string{"fw-lldp-agent", "legacy-rx", "mdd-auto-reset-vf"}, 5); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The loopback interface of any machine has no private flags.
func TestPrivateFlagsOfADriverWithoutAny(t *testing.T) {
	c, err := Open("lo")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	flags, err := c.PrivateFlags()
	if len(flags) != 0 || err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		t.Errorf("%v, %v", flags, err)
	}
}
