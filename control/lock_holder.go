package control

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// holder returns the process that holds the lock (flock) of the file at path in words, "another process" if the kernel
// does not show it: as for a process in another PID namespace.
func holder(path string) string {
	pid := holderPID(path)
	if pid == "" {
		return "another process"
	}
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	switch command := strings.TrimSpace(string(name)); {
	case err != nil:
		return fmt.Sprintf("another process (%s)", pid)
	case command == "uelinkd":
		return fmt.Sprintf("another uelinkd (process %s)", pid)
	default:
		return fmt.Sprintf("%q (process %s)", command, pid)
	}
}

// holderPID returns the process that holds the lock, or "".
func holderPID(path string) string {
	var s unix.Stat_t
	if unix.Lstat(path, &s) != nil {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(s.Dev), unix.Minor(s.Dev), s.Ino)
	for line := range strings.Lines(string(locks)) { // 1: FLOCK ADVISORY WRITE 26949 00:19:1234 0 EOF
		f := strings.Fields(line)
		if len(f) == 8 && f[1] == "FLOCK" && f[5] == file && strings.Trim(f[4], "0123456789") == "" && f[4] != "0" {
			return f[4]
		}
	}
	return ""
}
