package netif

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// The address is the same at each start, on one machine and behind one NIC; elsewhere it is another.
func TestAddressIsKept(t *testing.T) {
	log, _ := newLog()
	dir := filepath.Join(t.TempDir(), "state")
	link, other := net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2}
	first := OpenAddressBook(dir, log).AddressOf("ue0", link)
	if first[0]&3 != 2 || len(first) != 6 {
		t.Errorf("%v is no local unicast address", first)
	}
	for name, again := range map[string]net.HardwareAddr{
		"the next start":         OpenAddressBook(dir, log).AddressOf("ue0", link),
		"while there is no link": OpenAddressBook(dir, log).AddressOf("ue0", nil),
	} {
		if again.String() != first.String() {
			t.Errorf("%s: %v, not %v", name, again, first)
		}
	}
	cloned := OpenAddressBook(dir, log)
	cloned.machine = "another"
	for name, another := range map[string]net.HardwareAddr{
		"another NIC": OpenAddressBook(dir, log).AddressOf("ue0", other), "another edge": cloned.AddressOf("ue1", link),
		"another machine": cloned.AddressOf("ue0", link),
	} {
		if another.String() == first.String() {
			t.Errorf("%s has the same address", name)
		}
	}
	if again := OpenAddressBook(dir, log).AddressOf("ue0", link); again.String() != first.String() {
		t.Errorf("after all: %v, not %v", again, first)
	}
}

// Where nothing can be kept the address follows from those of the link and the edge. A damaged book is replaced.
func TestAddressWithoutAFolder(t *testing.T) {
	log, _ := newLog()
	link := net.HardwareAddr{2, 0, 0, 0, 0, 1}
	for _, dir := range []string{"", "/proc/self/cmdline/x"} {
		one, two := OpenAddressBook(dir, log), OpenAddressBook(dir, log)
		if a, b := one.AddressOf("ue0", link), two.AddressOf("ue0", link); a.String() != b.String() || a[0]&3 != 2 {
			t.Errorf("%q: %v and %v", dir, a, b)
		}
		if a, b := one.AddressOf("ue0", link), one.AddressOf("ue1", link); a.String() == b.String() {
			t.Errorf("%q: two edges have %v", dir, a)
		}
	}
	for _, dir := range []string{"", "/proc/self/cmdline/x"} {
		b := OpenAddressBook(dir, log)
		if b.AddressOf("ue0", link); (b.Keep() != nil) != (dir != "") {
			t.Errorf("%q: it keeps: %v", dir, b.Keep())
		}
	}
	later := filepath.Join(t.TempDir(), "later")
	must(t, os.WriteFile(later, nil, 0o600)) // no folder
	b := OpenAddressBook(later, log)
	derived := b.AddressOf("ue0", link)
	must(t, os.Remove(later))
	if err := b.Keep(); err != nil || OpenAddressBook(later, log).AddressOf("ue0", link).String() != derived.String() {
		t.Errorf("there is a folder now, and the next start has another address than %v: %v", derived, err)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, bookFile), []byte("[{"), 0o600))
	one := OpenAddressBook(dir, log).AddressOf("ue0", link)
	if again := OpenAddressBook(dir, log).AddressOf("ue0", link); again.String() != one.String() {
		t.Errorf("%v, then %v", one, again)
	}
}
