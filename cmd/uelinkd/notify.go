package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// notifyPatience is how long a message waits for a service manager that does not read.
const notifyPatience = time.Second

// notifier sends sd_notify(3) messages to the service manager that set NOTIFY_SOCKET; without the variable it sends
// nothing.
type notifier struct{ socket string }

// send sends assignments such as READY=1 to the service manager. A socket name that begins with '@' is abstract.
func (n notifier) send(assignments ...string) error { return n.sendWith(nil, assignments...) }

// keep gives a file to the service manager, which hands the file to the next process of the service under this
// name.
func (n notifier) keep(name string, f *os.File) error {
	return n.sendWith(unix.UnixRights(int(f.Fd())), "FDSTORE=1", "FDNAME="+name)
}

// drop makes the service manager close the file kept under a name.
func (n notifier) drop(name string) error { return n.send("FDSTOREREMOVE=1", "FDNAME="+name) }

// sendWith sends assignments such as READY=1 to the service manager, with rights, file descriptors as control data
// of the message. Without a notification socket it does nothing.
func (n notifier) sendWith(rights []byte, assignments ...string) error {
	if n.socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	defer conn.Close()
	if err = conn.SetWriteDeadline(time.Now().Add(notifyPatience)); err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	message := []byte(strings.Join(assignments, "\n"))
	var refused error
	err = raw.Write(func(fd uintptr) bool { // WriteMsgUnix requires an address, though the socket is connected
		refused = unix.Sendmsg(int(fd), message, rights, nil, 0)
		return !errors.Is(refused, unix.EAGAIN)
	})
	if err = errors.Join(err, refused); err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	return nil
}

// reloading returns the assignments that announce a reload to the service manager: RELOADING=1 and the monotonic time,
// which must be before the time of the following READY=1.
func reloading() []string {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return []string{"RELOADING=1"}
	}
	return []string{"RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000)}
}
