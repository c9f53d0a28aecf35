package restarts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// cutBookmarks cuts the files of the daemon's bookmarks, which it stores into, and waits until it has seen that.
func cutBookmarks(d *bed.Daemon) {
	d.T.Helper()
	files, err := filepath.Glob(filepath.Join(d.Rig.Run, "link-*"))
	bed.Must(d.T, err)
	if len(files) != 1 {
		d.T.Fatalf("bookmarks: %v", files)
	}
	bed.Must(d.T, os.Truncate(files[0], 0))
	bed.Eventually(d.T, "a notice of the cut", func() string {
		if notice := d.Link().Notice; !strings.Contains(notice, "the daemon has written the file again") {
			return "the notice is: " + notice
		}
		return ""
	})
}

// fill mounts a small file system on the daemon's runtime directory, and fills it. The returned file has the memory.
func fill(d *bed.Daemon) (filler string) {
	d.T.Helper()
	bed.Must(d.T, unix.Mount("tmpfs", d.Rig.Run, "tmpfs", 0, "size=16k"))
	d.T.Cleanup(func() { _ = unix.Unmount(d.Rig.Run, unix.MNT_DETACH) })
	filler = filepath.Join(d.Rig.Run, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		d.T.Fatal("the file system has more room than it should")
	}
	return filler
}

// bookmarkKept waits until link0 has, or has not, the problem that its bookmark is not kept.
func bookmarkKept(d *bed.Daemon, saved bool) {
	d.T.Helper()
	bed.Eventually(d.T, "the state of the bookmark", func() string {
		if fault := d.Link().Fault; strings.Contains(fault, "bookmark") == saved {
			return "fault: " + fault
		}
		return ""
	})
}

// A daemon starts on a full /run, says that a link has no bookmark, and refuses a reload for another link. With room
// again it keeps the bookmark.
func TestFullRuntimeDirectory(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	bed.Must(t, netns.Veth(top.A, "link1", top.B, "link1", bed.LinkMTU))
	bed.Must(t, netns.Veth(top.A, "edge1", top.B, "edge1", bed.EdgeMTU))
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	filler := fill(a)
	a.Start()
	bookmarkKept(a, false)
	a.AwaitLogLines("no space left on device", "works without a bookmark")

	one, err := os.ReadFile(a.Config)
	bed.Must(t, err)
	two := strings.Replace(string(one), "xconnects: [{edge: edge0, link: link0}]",
		"  - {name: edge1, interface: edge1, role: edge}\n  - {name: link1, interface: link1, role: link}\n"+
			"xconnects: [{edge: edge0, link: link0}, {edge: edge1, link: link1}]", 1)
	a.Reload(two)
	a.AwaitLogLines("configuration refused", "link1", "no space left on device")
	a.Reload(string(one) + "# a reload without another link needs no room\n")
	a.AwaitLogLines("configuration reloaded")

	bed.Must(t, os.Remove(filler))
	bookmarkKept(a, true)
	a.Reload(two)
	a.OperStatus("link1", "up")
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
