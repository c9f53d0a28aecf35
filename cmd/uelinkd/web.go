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

// listenWeb opens the listener of the page, if key web.listen is set. l is the listener that another process hands
// over, or nil.
func (d *daemon) listenWeb(l net.Listener) (err error) {
	d.http.pages, err = webListener(d.config, l, d.log.Named("web"))
	return err
}

// webListener returns the listener of the page, at a unix socket or an address; nil if the page is off. l is the open
// listener that another process hands over, nil if there is none.
func webListener(c *config.Config, l net.Listener, log *zap.Logger) (*lateListener, error) {
	if c.Web.Listen == "" && l == nil {
		return nil, nil
	}
	return listenLate(&lateListener{
		service: "the page is", key: "web.listen", at: c.Web.Listen, listener: l, log: log,
		open: func(at string) (net.Listener, error) {
			s := webSocketOf(c)
			if s.Path = (&config.Web{Listen: at}).Socket(); s.Path != "" {
				return control.Listen(context.Background(), s)
			}
			return web.Listen(at)
		},
		serving: func(at net.Addr) {
			address := zap.String("url", fmt.Sprintf("http://%s/", at))
			if isUnix(at) {
				address = zap.Stringer("socket", at)
			}
			log.Info("serving", address)
		},
	})
}

// adoptWeb takes the listener of the page over, by the file descriptors of another process: none if there is no page,
// one of an address, or those of a unix socket. The configuration may name another place, for the next start.
func (d *daemon) adoptWeb(fds []int) (err error) {
	var l net.Listener
	switch len(fds) {
	case 0:
	case 1:
		f := os.NewFile(uintptr(fds[0]), "web")
		defer f.Close()
		if l, err = net.FileListener(f); err != nil {
			return fmt.Errorf("the address of the page: %w", err)
		}
	default:
		s := webSocketOf(d.config)
		at, failed := unix.Getsockname(fds[0])
		if sockaddr, ok := at.(*unix.SockaddrUnix); failed == nil && ok {
			s.Path = sockaddr.Name
		}
		if l, err = control.Adopt(s, fds); err != nil {
			return err
		}
	}
	return d.listenWeb(l)
}

// handOverWeb returns the file descriptors of the page's listener for a successor; none without a page, or while the
// address is taken.
func (d *daemon) handOverWeb() ([]int, error) {
	l := d.http.pages.boundListener()
	switch {
	case l == nil:
		return nil, nil
	case isUnix(l.Addr()):
		return control.HandOver(l)
	}
	fd, err := control.Descriptor(l)
	return []int{fd}, err
}

// isUnix reports whether an address is that of a unix socket.
func isUnix(at net.Addr) bool { return at.Network() == "unix" }

// shownPast is the number of events from before the start that the page begins with.
const shownPast = 50

// startWeb starts the server of the page, if it has a listener.
func (d *daemon) startWeb() {
	if d.http.pages == nil {
		return
	}
	log := d.log.Named("web")
	past := d.journal.Events()
	source := web.Source{DataPlane: d.frames, LLDP: d.lldp, Past: past[max(0, len(past)-shownPast):], Station: hostName,
		Troubles: d.troubles, Unmet: d.unmet, Onsets: &d.observed.onsets}
	d.http.web = web.NewServer(source, d.config.Web.Hosts, log)
	d.http.running.Go(func() { d.failed <- d.http.web.Serve(d.http.pages) })
}

// hostName returns the name of this host for the page.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "this host"
	}
	return name
}

// stopWeb stops the server of the page: it ends the streams, and other requests may finish until ctx ends.
func (d *daemon) stopWeb(ctx context.Context) error {
	if d.http.web == nil {
		return nil
	}
	return d.http.web.Shutdown(ctx)
}
