// Package nstest gives tests network namespaces, or skips tests without the right to make namespaces.
package nstest

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"testing"

	"uelink/internal/netns"
)

// New makes a namespace that lives as long as the test. If a test running meanwhile has a namespace of the same
// name, the name is name2, name3 and so on. Without root New skips the test, or fails the test when
// UELINK_E2E=required.
func New(t testing.TB, name string) *netns.NS {
	t.Helper()
	ns, err := netns.New(name)
	for i := 2; errors.Is(err, fs.ErrExist); i++ {
		ns, err = netns.New(name + strconv.Itoa(i))
	}
	check(t, err)
	t.Cleanup(func() {
		if err := ns.Close(); err != nil {
			t.Error(err)
		}
	})
	return ns
}

// Enter moves the goroutine of the test into a new namespace without a name. Goroutines started by the test are not
// in the namespace. The namespace ends with the goroutine.
func Enter(t testing.TB) {
	t.Helper()
	check(t, netns.Unshare())
}

// check returns if err, an error of making a namespace, is nil. Otherwise it ends the test: by Missing if a privilege
// is missing, and as failed for any other error.
func check(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, netns.ErrPrivilege) {
		Missing(t, "root: "+err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Missing skips the test for want of the named feature, or fails the test when UELINK_E2E=required.
func Missing(t testing.TB, feature string) {
	t.Helper()
	if os.Getenv("UELINK_E2E") == "required" {
		t.Fatalf("UELINK_E2E=required, but this is missing: %s", feature)
	}
	t.Skipf("skipped, missing %s", feature)
}
