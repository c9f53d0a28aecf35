package packages

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var (
	debian = flag.Bool("packages.debian", false,
		"TestLifeOfThePackages and others make packages and Debian roots, from the network")
	rootTar    = flag.String("packages.root", "", "the Debian root of such tests, a tar file made before")
	packageDir = flag.String("packages.made", "", "a folder with packages of versions 0.9 and 1.0 for such tests")
)

// suite is the release of Debian, and packaged what the root has beside its essential packages: what the package
// depends on, what uses its files, and what the tests and Ansible need in it.
const (
	suite    = "bookworm"
	packaged = "systemd,man-db,bash-completion,iproute2,kmod,make,procps,python3,python3-apt,rpm,sudo"
)

// output runs a command and returns what it says; it must succeed.
func output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// makePackage makes the Debian package of a version, and returns its file.
func makePackage(t testing.TB, version string) string {
	t.Helper()
	return packagers[0].make(t, version)
}

// made runs make in the tree with words, and returns the file that it makes in bin, by its pattern. The file is removed
// at the end of the test.
func made(t testing.TB, pattern string, words ...string) string {
	t.Helper()
	cmd := exec.Command("make", words...)
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "MAKEFLAGS=")
	output(t, cmd)
	file := only(t, filepath.Join(tree, "bin", pattern))
	t.Cleanup(func() { os.Remove(file) })
	return file
}

// only returns the file that fits a pattern; there must be one.
func only(t testing.TB, pattern string) (file string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v; one file is wanted", pattern, files, err)
	}
	return files[0]
}

// host is a Debian root, whose programs run in a network namespace.
type host struct {
	t    testing.TB
	root string
	ns   *netns.NS
}

// unpackedRoot makes a Debian root that has what the tests need, and returns its folder.
func unpackedRoot(t testing.TB) (root string) {
	t.Helper()
	if *rootTar != "" {
		return unpacked(t, *rootTar)
	}
	return unpacked(t, rootOf(t, suite, packaged))
}

// rootOf returns the tar file of a Debian root with some packages beside the essential ones. It is made once, and kept
// in the user's cache.
func rootOf(t testing.TB, suite, packages string) (file string) {
	t.Helper()
	bed.RequireProgram(t, "mmdebstrap", "mmdebstrap")
	file = filepath.Join(kept(t), fmt.Sprintf("%s-%08x.tar", suite, crc32.ChecksumIEEE([]byte(packages))))
	if _, err := os.Stat(file); err != nil {
		created := file + ".made"
		output(t, exec.Command("mmdebstrap", "--variant=minbase", "--format=tar", "--include="+packages, suite, created))
		bed.Must(t, os.Rename(created, file))
	}
	return file
}

// kept returns a folder of the user's cache for what takes long to make and does not change.
func kept(t testing.TB) (dir string) {
	t.Helper()
	home, err := os.UserCacheDir()
	bed.Must(t, err)
	dir = filepath.Join(home, "uelink-packages")
	bed.Must(t, os.MkdirAll(dir, 0o755))
	return dir
}

// unpacked unpacks a root's tar file, and returns the folder.
func unpacked(t testing.TB, file string) (root string) {
	t.Helper()
	root = t.TempDir()
	bed.Must(t, os.Chmod(root, 0o755))
	output(t, exec.Command("tar", "-C", root, "--exclude=./dev/*", "-xf", file))
	return root
}

// newHost makes a Debian root.
func newHost(t testing.TB, ns *netns.NS) *host {
	t.Helper()
	h := &host{t, unpackedRoot(t), ns}
	for _, dir := range []string{"proc", "sys", "dev"} {
		bed.Must(t, unix.Mount("/"+dir, filepath.Join(h.root, dir), "", unix.MS_BIND|unix.MS_REC, ""))
		bed.Must(t, unix.Mount("", filepath.Join(h.root, dir), "", unix.MS_SLAVE|unix.MS_REC, ""))
		t.Cleanup(func() { _ = unix.Unmount(filepath.Join(h.root, dir), unix.MNT_DETACH) })
	}
	return h
}

// command returns a command in the root.
func (h *host) command(line string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir = "/"
	cmd.Env = []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "HOME=/root",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: h.root}
	return cmd
}

// sh runs a line of shell in the root, and returns what it says; it must succeed.
func (h *host) sh(line string) string {
	h.t.Helper()
	p := bed.Start(h.t, h.ns, line, h.command(line))
	if code := p.Wait(); code != 0 {
		h.t.Fatalf("%s: exit %d\n%s%s", line, code, p.Stdout.String(), p.Stderr.String())
	}
	return p.Stdout.String() + p.Stderr.String()
}

// put copies a package into the root, and returns its path there.
func (h *host) put(file string) string {
	h.t.Helper()
	text, err := os.ReadFile(file)
	bed.Must(h.t, err)
	bed.Must(h.t, os.WriteFile(filepath.Join(h.root, "tmp", filepath.Base(file)), text, 0o644))
	return "/tmp/" + filepath.Base(file)
}

// running returns the version and the process of the daemon in the root.
func (h *host) running() (version string, pid int) {
	h.t.Helper()
	c := client.NewClient(filepath.Join(h.root, api.DefaultSocket))
	defer c.Close()
	status, err := c.Status(context.WithoutCancel(h.t.Context())) // also at the end of the test
	bed.Must(h.t, err)
	return status.Version, status.PID
}

// says reports a problem unless text has the words.
func says(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in:\n%s", word, text)
		}
	}
}

// ready waits until a daemon's log says that it is ready.
func ready(t testing.TB, p *bed.Process) {
	t.Helper()
	bed.Eventually(t, "a daemon that is ready", func() string {
		if text := p.Stderr.String(); !strings.Contains(text, `"msg":"ready"`) {
			return text
		}
		return ""
	})
}
