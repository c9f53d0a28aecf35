package bpf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// OccupiedError is the error when another XDP program holds an interface.
type OccupiedError struct {
	Interface string
	Program   string // name of the program; empty where the kernel hides the name from a process without CAP_SYS_ADMIN
	ID        uint32 // as in bpftool prog show id
	Removal   string // command that takes the program off
	Err       error
}

// Error returns a message that names the other XDP program and how to remove it.
func (e *OccupiedError) Error() string {
	return fmt.Sprintf("%v: another XDP program %q, id %d, is on %s: stop the process that put it there "+
		"(bpftool link show), or take it off (%s)", e.Err, e.Program, e.ID, e.Interface, e.Removal)
}

// Unwrap returns the kernel's error, for errors.Is and errors.As.
func (e *OccupiedError) Unwrap() error { return e.Err }

// PrivilegeError is the error when the kernel denies an operation to this process.
type PrivilegeError struct {
	Missing []string // capabilities that the daemon needs, and this process lacks
	Err     error
}

// Error returns a message that names the missing capabilities.
func (e *PrivilegeError) Error() string {
	if len(e.Missing) == 0 {
		return fmt.Sprintf("%v: no capability is missing: a container, seccomp, lockdown or RLIMIT_MEMLOCK forbids it", e.Err)
	}
	return fmt.Sprintf("%v: %s missing: run as root, or grant CAP_NET_ADMIN, CAP_BPF and CAP_NET_RAW",
		e.Err, strings.Join(e.Missing, ", "))
}

// Unwrap returns the kernel's error, for errors.Is and errors.As.
func (e *PrivilegeError) Unwrap() error { return e.Err }

// explain wraps an error with doing, the operation that has failed, and, where known, with the remedy. A missing
// privilege becomes a *PrivilegeError; a feature that is missing wraps errors.ErrUnsupported.
func explain(doing string, err error) error {
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES) && len(missingCapabilities()) > 0:
		return &PrivilegeError{Missing: missingCapabilities(), Err: err}
	case errors.Is(err, ebpf.ErrNotSupported):
		return fmt.Errorf("%w: this needs a kernel from 5.11 on with CONFIG_BPF_SYSCALL and CONFIG_XDP_SOCKETS: %w", err,
			errors.ErrUnsupported)
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w: the interface does not support this: %w", err, errors.ErrUnsupported)
	}
	return err
}

// driverRefuses reports whether, after an error of attaching an XDP program in driver mode, generic mode may still
// succeed: not for a missing privilege, a busy or missing interface, or a missing kernel feature.
func driverRefuses(err error) bool {
	for _, final := range []error{unix.EPERM, unix.EBUSY, unix.EEXIST, unix.ENODEV} {
		if errors.Is(err, final) {
			return false
		}
	}
	return !errors.Is(err, ebpf.ErrNotSupported)
}

// occupied returns an OccupiedError instead of err if err means busy (EBUSY, EEXIST) and another XDP program is on
// the interface; else err.
func occupied(ifindex int, err error) error {
	// EEXIST: the other program is in another mode.
	if !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EEXIST) {
		return err
	}
	name, id, ok := Attached(ifindex)
	if !ok {
		return err
	}
	e := &OccupiedError{Interface: strconv.Itoa(ifindex), Program: name, ID: id, Removal: Removal(ifindex), Err: err}
	if dev, lookErr := netlink.LinkByIndex(ifindex); lookErr == nil {
		e.Interface = dev.Attrs().Name
	}
	return e
}

// CheckFree returns an *OccupiedError if an XDP program is on the interface, else nil.
func CheckFree(ifindex int) error {
	if _, _, ok := Attached(ifindex); !ok {
		return nil
	}
	return occupied(ifindex, unix.EBUSY)
}

// Attached returns the XDP program on an interface: its ID, and its name where the kernel shows names
// (CAP_SYS_ADMIN). ok is false if there is none.
func Attached(ifindex int) (name string, id uint32, ok bool) {
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil || dev.Attrs().Xdp == nil || !dev.Attrs().Xdp.Attached {
		return "", 0, false
	}
	id = dev.Attrs().Xdp.ProgId
	return programName(ebpf.ProgramID(id)), id, true
}

// Removal returns the command that takes the XDP program off an interface of the calling thread's network namespace.
// The command depends on the mode of the program, and on whether a bpf_link holds the program: for a mode without a
// program ip link does nothing, and reports no error.
func Removal(ifindex int) string {
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil || dev.Attrs().Xdp == nil {
		return "ip link set dev IF xdp off"
	}
	x, kind := dev.Attrs().Xdp, "xdpdrv"
	switch x.AttachMode {
	case nl.XDP_ATTACHED_SKB:
		kind = "xdpgeneric"
	case nl.XDP_ATTACHED_HW:
		kind = "xdpoffload"
	}
	command := "ip link set dev " + dev.Attrs().Name + " " + kind + " off"
	switch id, err := linkOf(ebpf.ProgramID(x.ProgId)); {
	case err != nil: // the kernel shows links to CAP_SYS_ADMIN only
		return command + ", or if a bpf_link holds the program: bpftool link detach id ID"
	case id != 0:
		return fmt.Sprintf("bpftool link detach id %d", id)
	}
	return command
}

// linkOf returns the number of the bpf_link that holds a program; 0 for none. The error is that of the kernel, which
// shows links only with CAP_SYS_ADMIN.
func linkOf(program ebpf.ProgramID) (link.ID, error) {
	links := new(link.Iterator)
	defer links.Close()
	for links.Next() {
		if info, err := links.Link.Info(); err == nil && info.Program == program {
			return info.ID, nil
		}
	}
	return 0, links.Err()
}

// programName returns the name of a program, or "" if the kernel does not show it.
func programName(id ebpf.ProgramID) string {
	prog, err := ebpf.NewProgramFromID(id)
	if err != nil {
		return ""
	}
	defer prog.Close()
	info, err := prog.Info()
	if err != nil {
		return ""
	}
	return info.Name
}

// missingCapabilities lists the capabilities that the daemon needs and this thread lacks. A thread with CAP_SYS_ADMIN
// needs no CAP_BPF, which Linux has had only since 5.8.
func missingCapabilities() []string {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return nil
	}
	effective := func(c int) bool { return data[c/32].Effective&(1<<(c%32)) != 0 }
	var missing []string
	if !effective(unix.CAP_NET_ADMIN) {
		missing = append(missing, "CAP_NET_ADMIN")
	}
	if !effective(unix.CAP_BPF) && !effective(unix.CAP_SYS_ADMIN) {
		missing = append(missing, "CAP_BPF")
	}
	if !effective(unix.CAP_NET_RAW) {
		missing = append(missing, "CAP_NET_RAW")
	}
	return missing
}
