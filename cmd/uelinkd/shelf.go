package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"uelink/dataplane/place"
)

// shelf returns the store in which links keep their bookmarks (state for the next process): a service manager that
// keeps files for the daemon, or else the runtime directory.
func shelf(notify notifier) place.Shelf {
	if os.Getenv("FDSTORE") != "" && notify.socket != "" {
		return &fileStore{notify: notify, files: inherited()}
	}
	return place.Directory(runtimeFolder())
}

// fileStore has the files that systemd keeps while the service restarts (FileDescriptorStoreMax in systemd.service(5)).
// Its runtime directory is removed in a restart.
type fileStore struct {
	notify notifier
	files  map[string]*os.File
}

// File returns the file that the service manager keeps under the name, or makes a file in memory and gives it to
// the manager. The caller closes the returned descriptor.
func (s *fileStore) File(name string) (*os.File, error) {
	f := s.files[name]
	if f == nil {
		fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			return nil, fmt.Errorf("bookmark of a link: memfd_create: %w", err)
		}
		f = os.NewFile(uintptr(fd), name)
		if err := s.notify.keep(name, f); err != nil {
			_ = f.Close() // an error is ignored: the file is in memory, and no other process has the file
			return nil, fmt.Errorf("bookmark of a link: %w", err)
		}
		s.files[name] = f
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("bookmark of a link: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Drop makes the service manager close the file that it keeps under the name.
func (s *fileStore) Drop(name string) {
	if f := s.files[name]; f != nil {
		_ = s.notify.drop(name) // after an error the manager keeps the file until the service stops
		_ = f.Close()           // no data is buffered
		delete(s.files, name)
	}
}

// Files returns the files that the service manager (systemd) keeps for this daemon across restarts, by name.
func (s *fileStore) Files() map[string]*os.File { return s.files }

// Adopt adds a file to the store without sending it to the service manager, which already keeps it under name:
// another process has sent the file to the manager, and handed it to this process.
func (s *fileStore) Adopt(name string, f *os.File) { s.files[name] = f }

// firstInherited is the first descriptor that a service manager hands over (sd_listen_fds(3)).
const firstInherited = 3

// inherited returns the files handed over to this process by the service manager, by name.
func inherited() map[string]*os.File {
	files := map[string]*os.File{}
	pid, _ := strconv.Atoi(os.Getenv("LISTEN_PID"))
	n, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if pid != os.Getpid() || n <= 0 {
		return files
	}
	names := strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	for i := range min(n, len(names)) {
		unix.CloseOnExec(firstInherited + i)
		files[names[i]] = os.NewFile(uintptr(firstInherited+i), names[i])
	}
	return files
}
