package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/control"
	"uelink/control/web"
)

// webSocketOf returns the socket of the page (path, group and mode) that a configuration describes; without a path if
// the page is off or has an address.
func webSocketOf(c *config.Config) control.Socket {
	return control.Socket{
		Path: c.Web.Socket(), Mode: c.Web.Mode, Group: c.Web.Group,
		Words: control.Words{Title: "socket of the page", Path: "web.listen", Group: "web.group"},
	}
}

// checkSockets compares the settings of the control socket and of the page's socket with this host, and returns notes
// for missing permissions of the user.
func checkSockets(c *config.Config) (notes []string, err error) {
	notes, err = socketOf(c).Check()
	if s := webSocketOf(c); s.Path != "" {
		more, wrong := s.Check()
		notes, err = append(notes, more...), errors.Join(err, wrong)
	}
	return notes, err
}

// listenWeb opens the listener of the page, if key web.listen is set.
func (d *daemon) listenWeb() (err error) {
	switch s := webSocketOf(d.config); {
	case d.config.Web.Listen == "":
	case s.Path != "":
		d.pages, err = control.Listen(context.Background(), s)
	default:
		d.pages, err = web.Listen(d.config.Web.Listen)
	}
	return err
}

// adoptWeb takes the listener of the page over, by the file descriptors of another process: none if there is no page,
// one of an address, or those of a unix socket. The configuration may name another place, for the next start.
func (d *daemon) adoptWeb(fds []int) (err error) {
	switch len(fds) {
	case 0:
	case 1:
		f := os.NewFile(uintptr(fds[0]), "web")
		defer f.Close()
		if d.pages, err = net.FileListener(f); err != nil {
			err = fmt.Errorf("the address of the page: %w", err)
		}
	default:
		s := webSocketOf(d.config)
		at, failed := unix.Getsockname(fds[0])
		if is, ok := at.(*unix.SockaddrUnix); failed == nil && ok {
			s.Path = is.Name
		}
		d.pages, err = control.Adopt(s, fds)
	}
	return err
}

// handOverWeb returns the file descriptors of the page's listener for a successor; none if there is no page.
func (d *daemon) handOverWeb() ([]int, error) {
	switch {
	case d.pages == nil:
		return nil, nil
	case isUnix(d.pages):
		return control.HandOver(d.pages)
	}
	fd, err := control.Descriptor(d.pages)
	return []int{fd}, err
}

// isUnix reports whether a listener has a unix socket.
func isUnix(l net.Listener) bool { return l.Addr().Network() == "unix" }

// closeWeb closes the listener of the page, before its server was started.
func (d *daemon) closeWeb() error {
	if d.pages == nil {
		return nil
	}
	return d.pages.Close()
}

// shownPast is the number of events from before the start that the page begins with.
const shownPast = 50

// startWeb starts the server of the page, if it has a listener.
func (d *daemon) startWeb() {
	if d.pages == nil {
		return
	}
	log := d.log.Named("web")
	past := d.journal.Events()
	source := web.Source{DataPlane: d.frames, LLDP: d.lldp, Past: past[max(0, len(past)-shownPast):], Station: station,
		Reload: d.notify.reloadCommand(systemdFolder, os.Getpid())}
	d.web = web.NewServer(source, d.config.Web.Hosts, log)
	d.servers.Go(func() { d.failed <- d.web.Serve(d.pages) })
	where := zap.String("url", fmt.Sprintf("http://%s/", d.pages.Addr()))
	if isUnix(d.pages) {
		where = zap.Stringer("socket", d.pages.Addr())
	}
	log.Info("serving", where)
}

// station returns the name of this host for the page.
func station() string {
	name, err := os.Hostname()
	if err != nil {
		return "this host"
	}
	return name
}

// stopWeb stops the server of the page: it ends the streams, and other requests may finish until ctx ends.
func (d *daemon) stopWeb(ctx context.Context) error {
	if d.web == nil {
		return nil
	}
	return d.web.Shutdown(ctx)
}
