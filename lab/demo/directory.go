package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dirPrefix is the prefix of directories with configurations and sockets. The id of the demo's process follows.
const dirPrefix = "/run/uelink-demo-"

// makeDir makes a directory for the configurations and sockets of this run, named after this process, and returns
// its path. It removes the directories of dead processes.
func makeDir() (string, error) {
	stale, err := filepath.Glob(dirPrefix + "*")
	if err != nil {
		return "", err
	}
	for _, dir := range stale {
		pid, err := strconv.Atoi(strings.TrimPrefix(dir, dirPrefix))
		if err != nil || pid != os.Getpid() && !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue
		}
		if err := removeDir(dir); err != nil {
			return "", err
		}
	}
	dir := dirPrefix + strconv.Itoa(os.Getpid())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("directory for configurations and sockets: %w", err)
	}
	return dir, nil
}

// removeDir removes a directory made by makeDir; "" means no directory.
func removeDir(dir string) error {
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}
