package main

import (
	"os"
	"path/filepath"
	"slices"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// dropper removes all capabilities but those in keep from the process, and returns the remaining: dropPrivileges.
type dropper func(keep capabilities) (left capabilities, err error)

// restrict drops the privileges that only the start needs. It is called after interfaces and sockets are open, and
// before any client is served.
func (d *daemon) restrict(drop dropper) {
	keep := needed
	if ports := d.frames.BesideNamespaces(); len(ports) > 0 {
		keep |= enterNamespaces
		d.log.Warn("CAP_SYS_ADMIN is kept: the other ends of edges are in other network namespaces, where their "+
			"offloads are put back at the end", zap.Strings("ports", ports))
	}
	left, err := drop(keep)
	if err != nil {
		d.log.Warn("the daemon failed to drop its privileges", zap.Error(err))
		return
	}
	d.log.Info("privileges are dropped", zap.Stringer("capabilities", left))
	for _, path := range d.unreachable() {
		d.log.Warn("the daemon has dropped root's right to other users' files: a reload or the end of the daemon cannot "+
			"use this path: give the path to the user of the daemon (chown)", zap.String("path", path),
			zap.Int("user", os.Geteuid()))
	}
}

// unreachable returns the paths of files and folders that a reload, or the end of the daemon, needs and that this
// process has no permission to use.
func (d *daemon) unreachable() (paths []string) {
	check := func(path string, mode uint32) {
		denied := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == unix.EACCES
		if denied && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	check(d.file, unix.R_OK)
	check(filepath.Dir(d.config.Control.Socket), unix.W_OK)
	check(recordDirectory(), unix.W_OK)
	if socket := d.config.Web.Socket(); socket != "" {
		check(filepath.Dir(socket), unix.W_OK)
	}
	for _, p := range d.config.Settings.Ports {
		if p.Capture != "" {
			check(filepath.Dir(p.Capture), unix.W_OK)
		}
	}
	return paths
}
