package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// Systemd runs a shell script in namespaces of its own, except the network's, and in a cgroup of its own. The script
// must end in `exec systemd`, so that systemd is process 1 of the PID namespace; args are $1 and the next arguments.
// The end of the test kills the script and systemd. Systemd returns the process, which ends with systemd, and systemd's
// process ID outside of the namespace.
func Systemd(t testing.TB, ns *netns.NS, script string, args ...string) (p *Process, init int) {
	t.Helper()
	group := cgroup(t)
	cmd := exec.Command(InstalledProgram(t, "unshare", "util-linux"), append([]string{"--mount", "--pid", "--fork",
		"--cgroup", "--uts", "--ipc", "--kill-child", "sh", "-c", script, "sh"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(group.Fd())}
	p = Start(t, ns, "systemd", cmd)
	init = ChildOf(t, cmd.Process.Pid)
	t.Cleanup(func() { _ = syscall.Kill(init, syscall.SIGKILL) })
	return p, init
}

// cgroup makes a group of cgroup2 for a systemd, and opens it. The end of the test waits until the group's processes
// have ended, and removes the group with the groups that systemd made in it.
func cgroup(t testing.TB) *os.File {
	t.Helper()
	mounts, err := exec.Command("findmnt", "-n", "-t", "cgroup2", "-o", "TARGET").Output()
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("a mount of cgroup2: %v", err))
	}
	dir, err := os.MkdirTemp(strings.Fields(string(mounts))[0], "uelink-test-")
	Must(t, err)
	t.Cleanup(func() {
		Eventually(t, "an empty cgroup", func() string {
			var dirs []string
			Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if e != nil && e.IsDir() {
					dirs = append([]string{path}, dirs...)
				}
				return nil // groups go meanwhile
			}))
			for _, d := range dirs {
				_ = os.Remove(d)
			}
			if _, err := os.Stat(dir); err == nil {
				return "it is there"
			}
			return ""
		})
	})
	f, err := os.Open(dir)
	Must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// ChildOf returns the only child of a process.
func ChildOf(t testing.TB, pid int) int {
	t.Helper()
	var children []string
	Eventually(t, "a child", func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		Must(t, err)
		if children = strings.Fields(string(text)); len(children) != 1 {
			return fmt.Sprintf("the children are %v", children)
		}
		return ""
	})
	n, err := strconv.Atoi(children[0])
	Must(t, err)
	return n
}
