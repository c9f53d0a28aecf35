package main

import (
	"fmt"
	"net"
	"strings"

	"golang.org/x/sys/unix"
)

// notifier speaks sd_notify(3) to the service manager that set NOTIFY_SOCKET;
// without one it says nothing.
type notifier struct{ socket string }

// send tells the manager assignments such as READY=1. A socket that begins with
// '@' is abstract.
func (n notifier) send(assignments ...string) error {
	if n.socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(strings.Join(assignments, "\n"))); err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	return nil
}

// reloading is what announces a reload; the manager matches its time with the
// READY=1 that follows.
func reloading() []string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return []string{"RELOADING=1"}
	}
	return []string{"RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000)}
}
