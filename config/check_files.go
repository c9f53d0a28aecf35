package config

import (
	"path/filepath"

	"golang.org/x/sys/unix"

	"uelink/config/schema"
)

// lockSuffix ends the name of the lock file of the control socket (control.LockPath).
const lockSuffix = ".lock"

// place is where a name stands: two paths of one place are one file, by symbolic links and bind mounts, too.
type place struct {
	dev, inode uint64 // of the directory; 0 where there is none
	name       string // in the directory, or the whole path where there is no directory
}

// placeOf returns the place of a path. A symbolic link is a file of its own, as it is to a capture, which refuses one.
func placeOf(path string) place {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	var s unix.Stat_t
	if unix.Stat(dir, &s) != nil {
		return place{name: filepath.Clean(path)}
	}
	return place{uint64(s.Dev), s.Ino, name}
}

// checkFiles refuses a capture that would take the place of the configuration, of the control socket or of another
// capture: a capture removes the file that it finds. file is the path of the configuration.
func (w checks) checkFiles(d *document, file string) {
	taken := map[place]string{
		placeOf(file):                          "the configuration itself",
		placeOf(d.Control.Socket):              "the control socket",
		placeOf(d.Control.Socket + lockSuffix): "the lock file of the control socket",
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		taken[placeOf(target)] = "the configuration itself"
	}
	for i := range d.ports {
		path := d.ports[i].frames.Capture
		if path == "" {
			continue
		}
		at := placeOf(path)
		key := schema.Join(schema.Element("ports", i), "capture")
		if owner := taken[at]; owner != "" {
			w.FailAt(key, "%q is %s: name another file", path, owner)
			continue
		}
		taken[at] = "the capture of port " + d.ports[i].frames.Name
	}
}
