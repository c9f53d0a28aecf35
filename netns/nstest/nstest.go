// Package nstest gives tests network namespaces, or says why it cannot.
package nstest

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"testing"

	"uelink/netns"
)

// New makes a namespace that lives as long as the test. Where a test that runs beside this one has a namespace of that
// name, the new one is name2, or name3 and so on. Without root the test is skipped, or fails when UELINK_E2E=required.
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
