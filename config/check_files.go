package config

import (
	"path/filepath"

	"golang.org/x/sys/unix"

	"uelink/config/schema"
)

// lockSuffix ends the name of the lock file of a socket (control.LockPath).
const lockSuffix = ".lock"

// place identifies a file by its directory and name, so that two paths to one file compare equal, through symbolic
// links to directories and bind mounts too.
type place struct {
	dev, inode uint64 // of the directory; 0 where it does not exist
	name       string // in the directory, or the whole path where the directory does not exist
}

// placeOf returns the directory (device and inode) and the name in it of the file at a path, by which two paths of
// one file compare equal. A symbolic link as the last element is not followed: a capture refuses to write to one.
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

// checkFiles refuses a capture with the path of the configuration, of a socket or of another capture: opening a capture
// removes the file at its path. It refuses the socket of the page at the path of the control socket, too. file is the
// path of the configuration, additions are the files beside it.
func (w checks) checkFiles(d *document, file string, additions []schema.Addition) {
	taken := map[place]string{
		placeOf(file):                          "the configuration itself",
		placeOf(d.Control.Socket):              "the control socket",
		placeOf(d.Control.Socket + lockSuffix): "the lock file of the control socket",
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		taken[placeOf(target)] = "the configuration itself"
	}
	for _, a := range additions {
		taken[placeOf(a.File)] = "a file of the configuration"
	}
	if socket := d.Web.Socket(); socket != "" {
		if owner := taken[placeOf(socket)]; owner != "" {
			w.FailAt("web.listen", "%q is %s: name another file", socket, owner)
		}
		taken[placeOf(socket)] = "the socket of the web page"
		taken[placeOf(socket+lockSuffix)] = "the lock file of the web page's socket"
	}
	for i := range d.ports {
		capture := d.ports[i].frames.Capture
		if capture == "" {
			continue
		}
		at := placeOf(capture)
		key := schema.Join(schema.Element("ports", i), "capture")
		if owner := taken[at]; owner != "" {
			w.FailAt(key, "%q is %s: name another file", capture, owner)
			continue
		}
		taken[at] = "the capture of port " + d.ports[i].frames.Name
	}
}
