package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A limit of open files that an upgrade would break is a trouble with both numbers and the command that mends it, and
// the limit that the command sets is none.
func TestTooFewDescriptorsForAnUpgradeAreATrouble(t *testing.T) {
	const open, pid = 40, 7
	enough := uint64(open + upgradeFDs)
	if said := (openFiles{open, enough, enough}).trouble(pid); said != "" {
		t.Errorf("enough: %q", said)
	}
	if said := (openFiles{open, 2 * enough, 2 * enough}).trouble(pid); said != "" {
		t.Errorf("the limit that the command sets: %q", said)
	}
	said := openFiles{open, enough - 1, enough - 1}.trouble(pid)
	for _, word := range []string{"it needs 56 open files", "(40 are open now)", "each may have 55",
		"type: prlimit --pid 7 --nofile=112; ", "LimitNOFILE=112"} {
		if !strings.Contains(said, word) {
			t.Errorf("%q is missing in %q", word, said)
		}
	}
	if said := (openFiles{open, enough - 1, 1000}).trouble(pid); !strings.Contains(said, "--nofile=1000; ") {
		t.Errorf("the hard limit is higher: %q", said)
	}
}

// The count of open files follows those that are opened.
func TestOpenFilesAreCounted(t *testing.T) {
	before, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	const more = 5
	for range more {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	after, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if after.open != before.open+more || after.limit != limit.Cur || after.hard != limit.Max {
		t.Errorf("before %+v, after %+v, the limit is %d", before, after, limit.Cur)
	}
}
