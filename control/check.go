package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Check reports whether Listen could make the socket, and changes nothing. The error is a *SettingError. The notes are
// problems of the user of this process only: the daemon may run as another user.
func (s Socket) Check() (notes []string, err error) {
	gid, err := s.check()
	if err != nil {
		return nil, &SettingError{s.wrap(err)}
	}
	user := os.Geteuid()
	if dir := filepath.Dir(s.Path); unix.Faccessat(unix.AT_FDCWD, existing(dir), unix.W_OK, unix.AT_EACCESS) != nil {
		notes = append(notes,
			fmt.Sprintf("%s %s: user %d may not write to its folder, so the daemon cannot run as this user",
				s.words().Title, s.Path, user))
	}
	groups, err := os.Getgroups()
	if err == nil && gid >= 0 && user != 0 && gid != os.Getegid() && !slices.Contains(groups, gid) {
		notes = append(notes, fmt.Sprintf("%s %s: user %d is not in this group, so the daemon cannot run as this user",
			s.words().Group, s.Group, user))
	}
	return notes, nil
}

// check returns an error if Listen could not make the socket, for reasons that are the same for every user. It
// also returns the number of the group, or -1.
func (s Socket) check() (gid int, err error) {
	if gid, err = s.checkSettings(); err != nil {
		return gid, err
	}
	dir, key := filepath.Dir(s.Path), s.words().Path
	info, err := os.Stat(existing(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gid, fmt.Errorf(
			"there is no folder %s, and only the last part of its path is made: make it (mkdir -p), or "+
				"set another %s", dir, key)
	case errors.Is(err, unix.ENOTDIR), err == nil && !info.IsDir():
		return gid, fmt.Errorf("%s is no folder: set another %s", dir, key)
	case err != nil:
		return gid, nil // the start shows whether the daemon may read the folder
	}
	if err := checkKind(LockPath(s.Path), fs.FileMode(0), "no plain file", key); err != nil {
		return gid, err
	}
	return gid, checkKind(s.Path, fs.ModeSocket, "not a socket", key)
}

// existing returns dir if it exists, else its parent directory.
func existing(dir string) string {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return filepath.Dir(dir)
	}
	return dir
}

// checkKind returns an error if the file at path exists and is not of the wanted kind; the message says
// by kind what the file is, and names the path's key in the configuration.
func checkKind(path string, want fs.FileMode, kind, key string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() == want {
		return nil
	}
	return fmt.Errorf("%s is there and is %s: remove it, or set another %s", path, kind, key)
}
