package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/place"
	"uelink/llr"
)

// kept is the next message with a file that the service manager is to keep.
func (m *manager) kept() (lines []string, f *os.File) {
	m.t.Helper()
	if err := m.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.t.Fatal(err)
	}
	text, control := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, controls, _, _, err := m.conn.ReadMsgUnix(text, control)
	if err != nil {
		m.t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:controls])
	if err != nil || len(messages) != 1 {
		m.t.Fatalf("%d control messages, %v, with %q", len(messages), err, text[:n])
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		m.t.Fatalf("%d descriptors, %v", len(fds), err)
	}
	f = os.NewFile(uintptr(fds[0]), "kept")
	m.t.Cleanup(func() { f.Close() })
	return strings.Split(string(text[:n]), "\n"), f
}

// heir has the tests' program, which is started again, say which bookmark it finds.
const heir = "UELINKD_TEST_HEIR"

// A service manager that keeps files gets the bookmark of a link, and hands it to the next process.
func TestServiceManagerKeepsBookmarks(t *testing.T) {
	if os.Getenv(heir) != "" {
		p, err := place.OpenFor(shelf(notifier{"nobody"}), "link0", "eth0")
		if err != nil {
			t.Fatal(err)
		}
		mark, ok := p.Bookmark()
		fmt.Println("found", mark.Origin, mark.Next, ok)
		return
	}
	address := filepath.Join(t.TempDir(), "notify")
	m := newManager(t, address)
	t.Setenv("FDSTORE", "64")
	p, err := place.OpenFor(shelf(notifier{address}), "link0", "eth0")
	if err != nil {
		t.Fatal(err)
	}
	said, f := m.kept()
	name := strings.TrimPrefix(said[len(said)-1], "FDNAME=")
	if !slices.Equal(said, []string{"FDSTORE=1", "FDNAME=" + name}) || !strings.HasPrefix(name, "link-") {
		t.Errorf("the manager was told %q", said)
	}
	p.Write(llr.Bookmark{Origin: 500, Next: 507})
	p.Advance(508)

	next := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0],
		"-test.run", "^"+t.Name()+"$")
	next.Env = append(os.Environ(), heir+"=yes", "LISTEN_FDS=1", "LISTEN_FDNAMES="+name)
	next.ExtraFiles = []*os.File{f}
	out, err := next.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "found 500 508 true") {
		t.Errorf("the next process says %s%v", out, err)
	}
}

// A process that takes over uses the files that the manager keeps already, and tells it nothing.
func TestFilesOfBookmarksCross(t *testing.T) {
	old := &fileStore{files: map[string]*os.File{}}
	next := &fileStore{notify: notifier{"/none"}, files: map[string]*os.File{}}
	f, err := os.Create(filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	old.files["link-1"] = f
	for name, f := range old.Files() {
		next.Adopt(name, f)
	}
	got, err := next.File("link-1")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	is, _ := got.Stat()
	if was, _ := f.Stat(); !os.SameFile(is, was) {
		t.Error("it is another file")
	}
}

// Without such a manager the bookmarks are in the runtime directory.
func TestBookmarksInTheRuntimeDirectory(t *testing.T) {
	t.Setenv("FDSTORE", "")
	t.Setenv("RUNTIME_DIRECTORY", "/run/a:/run/b")
	if s := shelf(notifier{"somebody"}); s != place.Directory("/run/a") {
		t.Errorf("%v", s)
	}
	t.Setenv("RUNTIME_DIRECTORY", "")
	if s := shelf(notifier{}); s != place.Directory("/run/uelink") {
		t.Errorf("%v", s)
	}
}
