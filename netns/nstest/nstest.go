// Package nstest gives tests network namespaces, or says why it cannot.
package nstest

import (
	"errors"
	"os"
	"testing"

	"uelink/netns"
)

// New makes a namespace that lives as long as the test. Without root the test is
// skipped, or fails when UELINK_E2E=required.
func New(t testing.TB, name string) *netns.NS {
	t.Helper()
	ns, err := netns.New(name)
	check(t, err)
	t.Cleanup(func() {
		if err := ns.Close(); err != nil {
			t.Error(err)
		}
	})
	return ns
}

// Enter has the test go on in a new namespace without a name, with its goroutine and none that
// it starts. The namespace ends with them.
func Enter(t testing.TB) {
	t.Helper()
	check(t, netns.Unshare())
}

// check skips the test for want of a privilege, and fails it for any other error.
func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, netns.ErrPrivilege) {
		Missing(t, "root: "+err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Missing skips the test because of what is missing, or fails it when
// UELINK_E2E=required.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("UELINK_E2E") == "required" {
		t.Fatalf("UELINK_E2E=required, but this is missing: %s", what)
	}
	t.Skipf("skipped, missing %s", what)
}
