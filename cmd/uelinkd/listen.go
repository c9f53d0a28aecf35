package main

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control"
)

// socketOf returns the control socket (path, group and mode) that a configuration describes.
func socketOf(c *config.Config) control.Socket {
	return control.Socket{Path: c.Control.Socket, Mode: c.Control.Mode, Group: c.Control.Group}
}

// listen opens the control socket. It waits while another daemon holds the socket; if a signal ends the wait, it
// returns nil without an error.
func (d *daemon) listen(signals <-chan os.Signal) (net.Listener, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var l net.Listener
	done := make(chan error, 1)
	go func() {
		var err error
		l, err = control.Listen(ctx, socketOf(d.config))
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return d.listening(ctx, l, err)
		case s := <-signals:
			if s != syscall.SIGHUP {
				d.log.Info("stopping", zap.Stringer("signal", s))
				stop()
			}
		}
	}
}

// listening returns the listener or error of a listen call. If a signal came (ctx has ended), it closes the
// listener and returns nil.
func (*daemon) listening(ctx context.Context, l net.Listener, err error) (net.Listener, error) {
	switch {
	case ctx.Err() == nil:
		return l, err
	case errors.Is(err, context.Canceled):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return nil, l.Close()
}
