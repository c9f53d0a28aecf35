package xsk

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
)

// BusyError is the error when another AF_XDP socket has the RX queue.
type BusyError struct {
	Interface string
	Queue     int
	Program   string   // the XDP program on the interface, empty for none
	ProgramID uint32   // ID of the program
	Processes []string // processes that hold AF_XDP sockets, on whatever interface: "name (pid)"
	Err       error
}

// Error returns a message with the queue, the XDP program and the processes that may hold the queue.
func (e *BusyError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: another AF_XDP socket has queue %d of %s", e.Err, e.Queue, e.Interface)
	if e.ProgramID != 0 {
		fmt.Fprintf(&b, "; XDP program %q, id %d, is on the interface", e.Program, e.ProgramID)
	}
	if len(e.Processes) > 0 {
		fmt.Fprintf(&b, "; AF_XDP sockets are held by %s", strings.Join(e.Processes, ", "))
	}
	return b.String()
}

// Unwrap returns the kernel's error, for errors.Is and errors.As.
func (e *BusyError) Unwrap() error { return e.Err }

// PrivilegeError is the error when the kernel denies a socket to this process.
type PrivilegeError struct{ Err error }

// Error returns a message with the missing capability and the remedy.
func (e *PrivilegeError) Error() string {
	return fmt.Sprintf("%v: CAP_NET_RAW is missing: run as root, or grant it", e.Err)
}

// Unwrap returns the kernel's error, for errors.Is and errors.As.
func (e *PrivilegeError) Unwrap() error { return e.Err }

// explain wraps err, an error of opening a socket, with the name of the interface, the queue and the remedy. EBUSY
// becomes a *BusyError, EPERM a *PrivilegeError.
func (r request) explain(name string, err error) error {
	err = fmt.Errorf("%s queue %d: AF_XDP socket: %w", name, r.queue, err)
	switch {
	case errors.Is(err, unix.EBUSY):
		program, id, _ := bpf.Attached(r.ifindex)
		return &BusyError{Interface: name, Queue: r.queue, Program: program, ProgramID: id, Processes: holders(), Err: err}
	case errors.Is(err, unix.EPERM):
		return &PrivilegeError{err}
	case errors.Is(err, unix.EAFNOSUPPORT):
		return fmt.Errorf("%w: this kernel has no AF_XDP (CONFIG_XDP_SOCKETS): %w", err, errors.ErrUnsupported)
	case errors.Is(err, unix.ENOBUFS):
		return fmt.Errorf("%w: the UMEM of %d octets is more than RLIMIT_MEMLOCK allows: run as root, grant CAP_IPC_LOCK, "+
			"set LimitMEMLOCK=infinity, or use smaller rings", err, r.options.Geometry.Size())
	case errors.Is(err, unix.EOPNOTSUPP) && r.options.Bind == attach.BindZeroCopy && r.options.several():
		return fmt.Errorf("%w: the driver has no zero copy, or no zero copy of frames in several chunks: "+
			"bind with %s or %s, or lower the MTU", err, attach.BindAuto, attach.BindCopy)
	case errors.Is(err, unix.EOPNOTSUPP) && r.options.Bind == attach.BindZeroCopy:
		return fmt.Errorf("%w: the driver has no zero copy: bind with %s or %s", err, attach.BindAuto, attach.BindCopy)
	case errors.Is(err, unix.EINVAL):
		return r.explainInvalid(name, err)
	case errors.Is(err, unix.ENOMEM):
		return fmt.Errorf("%w: there is no room for the UMEM of %d octets: raise the limit of the address space or "+
			"of the memory "+
			"(ulimit -v, systemd: LimitAS, MemoryMax), or use smaller rings", err, r.options.Geometry.Size())
	case errors.Is(err, unix.EMFILE):
		return fmt.Errorf("%w: the process has reached its limit of open files: raise the limit (ulimit -n, "+
			"systemd: LimitNOFILE)", err)
	}
	return err
}

// explainInvalid adds the likely reason to an EINVAL. The kernel returns EINVAL for a queue that does not exist. A
// driver returns EINVAL for an existing queue if it refuses zero copy as set up.
func (r request) explainInvalid(name string, err error) error {
	have, ok := queues(name)
	switch {
	case r.options.several() && MultiBuffer() != nil:
		return fmt.Errorf("%w: %w: lower the MTU", err, MultiBuffer())
	case ok && r.queue >= have:
		return fmt.Errorf("%w: the interface has %d RX queues, numbered from 0: name lower queues, or "+
			"give the interface more (ethtool -L %s)", err, have, name)
	case r.options.Bind == attach.BindZeroCopy:
		return fmt.Errorf("%w: the driver refuses zero copy as it is set up now (too large an MTU, too small or too "+
			"large a ring, "+
			"too few channels? dmesg may tell; ethtool -g %s, ethtool -l %s): bind with %s or %s",
			err, name, name, attach.BindAuto, attach.BindCopy)
	}
	return fmt.Errorf("%w: the kernel or the driver refuses these settings of the socket: dmesg may tell why", err)
}

// queues returns the number of RX queues of an interface. ok is false if the driver does not say.
func queues(name string) (n int, ok bool) {
	c, err := ethtool.Open(name)
	if err != nil {
		return 0, false
	}
	defer c.Close()
	n, _, err = c.Queues()
	return n, err == nil && n > 0
}

// holders lists the processes, ours included, that have mapped an AF_XDP socket, as "name (pid N)", as far as /proc
// shows their mappings.
func holders() []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil || !socketMappings(e.Name()).hasXSK() {
			continue
		}
		name, err := os.ReadFile("/proc/" + e.Name() + "/comm")
		if err == nil {
			found = append(found, fmt.Sprintf("%s (pid %s)", strings.TrimSpace(string(name)), e.Name()))
		}
	}
	return found
}
