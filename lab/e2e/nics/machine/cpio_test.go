package machine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// entries reads an archive by the description of the format: header, name and octets, each filled up
// to a multiple of 4.
func entries(t *testing.T, b []byte) (list []string) {
	t.Helper()
	number := func(i int) int {
		n, err := strconv.ParseUint(string(b[6+8*i:14+8*i]), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	for len(b) > 0 {
		if !bytes.HasPrefix(b, []byte("070701")) {
			t.Fatalf("after %q there is %q", list, b[:min(len(b), 20)])
		}
		mode, size, nameSize := number(1), number(6), number(11)
		data := (110 + nameSize + 3) &^ 3
		name := strings.TrimRight(string(b[110:110+nameSize]), "\x00")
		list = append(list, fmt.Sprintf("%o %s %s", mode, name, b[data:data+size]))
		b = b[(data+size+3)&^3:]
	}
	return list
}

func TestArchive(t *testing.T) {
	var b bytes.Buffer
	a := newArchive(&b)
	for _, f := range []struct{ name, octets string }{{"init", "12345"}, {"usr/lib/x.so", ""}, {"usr/lib/y.so", "1234"}} {
		if err := a.file(f.name, []byte(f.octets)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.directory("usr/bin"); err != nil {
		t.Fatal(err)
	}
	if err := a.end(); err != nil {
		t.Fatal(err)
	}
	want := "100755 init 12345|40755 usr |40755 usr/lib |100755 usr/lib/x.so |100755 usr/lib/y.so 1234|" +
		"40755 usr/bin |0 TRAILER!!! "
	if got := strings.Join(entries(t, b.Bytes()), "|"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A tree is in the archive with its permissions and its links.
func TestArchiveOfATree(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "usr/bin"), 0o755), os.Chmod(filepath.Join(dir, "usr"), 0o711),
		os.WriteFile(filepath.Join(dir, "usr/bin/su"), []byte("12345"), 0o755),
		os.Chmod(filepath.Join(dir, "usr/bin/su"), 0o755|os.ModeSetuid), os.Symlink("usr/bin", filepath.Join(dir, "bin")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	a := newArchive(&b)
	if err := a.tree(dir); err != nil {
		t.Fatal(err)
	}
	if err := a.file("usr/init", []byte("1")); err != nil {
		t.Fatal(err)
	}
	want := "120777 bin usr/bin|40711 usr |40755 usr/bin |104755 usr/bin/su 12345|100755 usr/init 1"
	if got := strings.Join(entries(t, b.Bytes()), "|"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
