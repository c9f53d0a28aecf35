package netns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// FindByProcess returns the paths of the namespaces made by a process, in Dir; also of a process that has ended.
func FindByProcess(pid int) (paths []string, err error) {
	return filepath.Glob(filepath.Join(Dir, prefix+strconv.Itoa(pid)+"-*"))
}

// Remove removes the names of the namespaces made by a process that has ended, at paths as FindByProcess returns them.
func Remove(paths ...string) error {
	var problems []error
	for _, path := range paths {
		problems = append(problems, removeStale(filepath.Base(path)))
	}
	return errors.Join(problems...)
}

// EndProcesses ends all processes in the namespaces at paths, except this process: by SIGTERM, and after patience by
// SIGKILL. It returns when no such process is left, or with an error if one is left after patience has passed again.
// Paths without a namespace are skipped.
func EndProcesses(patience time.Duration, paths ...string) error {
	asked := map[int]bool{}
	for deadline := time.Now().Add(patience); ; time.Sleep(processEvery) {
		pids, err := processes(paths)
		if err != nil || len(pids) == 0 {
			return err
		}
		late := time.Now().After(deadline)
		if late && time.Now().After(deadline.Add(patience)) {
			return fmt.Errorf("processes %v still run after SIGKILL", pids)
		}
		for _, pid := range pids {
			switch {
			case late:
				_ = syscall.Kill(pid, syscall.SIGKILL) // an ended process is no error
			case !asked[pid]:
				_ = syscall.Kill(pid, syscall.SIGTERM)
				asked[pid] = true
			}
		}
	}
}

// processEvery is how often EndProcesses looks for processes.
const processEvery = 10 * time.Millisecond

// processes returns the IDs of the processes in the namespaces at paths, except this process.
func processes(paths []string) (pids []int, err error) {
	var spaces []os.FileInfo
	for _, path := range paths {
		if space, err := os.Stat(path); err == nil {
			spaces = append(spaces, space)
		}
	}
	if len(spaces) == 0 {
		return nil, nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		namespace, err := os.Stat(filepath.Join("/proc", e.Name(), "ns/net"))
		if err != nil {
			continue // the process has ended
		}
		if slices.ContainsFunc(spaces, func(space os.FileInfo) bool { return os.SameFile(space, namespace) }) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
