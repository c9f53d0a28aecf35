package unit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launchVariable, set in its environment, makes a program the launcher of a service.
const launchVariable = "UELINK_UNIT_LAUNCH"

// order is the launcher's input, sent by standard input as JSON.
type order struct {
	Args            []string
	Env             []string
	UID             int
	Ambient         []uintptr // capabilities
	Bounding        []uintptr
	MemoryUnlimited bool // LimitMEMLOCK=infinity
	NoNewPrivileges bool
	OwnHostname     bool
	Filters         [][]unix.SockFilter
	FiltersAlone    bool // of a program without a unit: nothing else is applied
	Root            root
}

// Command returns a command that runs args as the unit's process would run, with its rights and its view of files;
// root must start it. args is Start, an element of Reload, or the command line of any program on the machine.
func (u *Unit) Command(m Machine, args []string) (*exec.Cmd, error) {
	o := u.order
	o.Args, o.Env = args, u.environment()
	var err error
	if o.Root, err = m.root(u, o.Root); err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return launcher(text), nil
}

// launcher returns a command that carries out an order.
func launcher(order []byte) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), launchVariable+"=yes")
	cmd.Stdin = bytes.NewReader(order)
	return cmd
}

// environment returns the environment variables that systemd sets for the service; no variable of this process is
// inherited.
func (u *Unit) environment() []string {
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "NOTIFY_SOCKET=" + notifySocket,
		"USER=" + u.user, "LOGNAME=" + u.user, "HOME=/", "SHELL=/usr/sbin/nologin"}
	env = append(env, u.assigned...)
	if u.Runtime != "" {
		env = append(env, "RUNTIME_DIRECTORY="+runtimeBase+u.Runtime)
	}
	if u.State != "" {
		env = append(env, "STATE_DIRECTORY="+stateBase+u.State)
	}
	return env
}

// Main executes the service if this process was started by a command of Unit.Command, and then does not return; in
// any other process it does nothing. A program that uses Unit.Command must call Main first.
func Main() {
	if os.Getenv(launchVariable) == "" {
		return
	}
	runtime.LockOSThread() // most changes apply to the calling thread, which executes the service
	var o order
	err := json.NewDecoder(os.Stdin).Decode(&o)
	if err == nil {
		err = o.launch()
	}
	fmt.Fprintln(os.Stderr, "launch the service:", err)
	os.Exit(1)
}

// launch drops all rights that the order does not allow, and executes the program; it only returns with an error.
func (o *order) launch() error {
	if !o.FiltersAlone {
		if err := o.enter(); err != nil {
			return err
		}
	}
	for i, f := range o.Filters {
		if err := install(f); err != nil {
			return fmt.Errorf("install filter %d: %w", i, err)
		}
	}
	return fmt.Errorf("execute %s: %w", o.Args[0], syscall.Exec(o.Args[0], o.Args, o.Env))
}

// enter moves this process into the service's file system and drops all rights that the unit does not allow, but for
// system calls. The steps are in the order of systemd: each needs rights that a later step drops.
func (o *order) enter() error {
	parent := os.Getppid()
	if err := o.Root.enter(o.OwnHostname); err != nil {
		return err
	}
	if o.MemoryUnlimited {
		unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
		// Fails for root without CAP_SYS_RESOURCE. With CAP_IPC_LOCK the limit does not apply.
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unlimited); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("LimitMEMLOCK: %w", err)
		}
	}
	if err := o.becomeUser(); err != nil {
		return err
	}
	if o.NoNewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("NoNewPrivileges: %w", err)
		}
	}
	// becomeUser has reset the parent-death signal.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() != parent {
		return errors.New("the parent has ended")
	}
	return nil
}

// becomeUser changes the calling thread to the unit's user, group and capabilities.
func (o *order) becomeUser() error {
	if err := o.dropBounding(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0); err != nil {
		return err
	}
	// Raw system calls: the functions of package syscall would change every thread of the process.
	id, group := uintptr(o.UID), uint32(o.UID)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 1, uintptr(unsafe.Pointer(&group)), 0); errno != 0 {
		return fmt.Errorf("leave the groups: %w", errno)
	}
	for _, call := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
		if _, _, errno := unix.RawSyscall(call, id, id, id); errno != 0 {
			return fmt.Errorf("become user and group %d: %w", o.UID, errno)
		}
	}
	return o.keepAmbient()
}

// dropBounding drops every capability of the calling thread that is not in the unit's bounding set.
func (o *order) dropBounding() error {
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_READ, c, 0, 0, 0) == nil; c++ {
		if slices.Contains(o.Bounding, c) {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	return nil
}

// keepAmbient drops every capability of the calling thread except the unit's ambient set, which the executed
// service inherits.
func (o *order) keepAmbient() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	for _, c := range o.Ambient {
		d, bit := &data[c/32], uint32(1)<<(c%32)
		d.Effective, d.Permitted, d.Inheritable = d.Effective|bit, d.Permitted|bit, d.Inheritable|bit
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("keep the ambient capabilities only: %w", err)
	}
	for _, c := range o.Ambient {
		if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, c, 0, 0); err != nil {
			return fmt.Errorf("raise ambient capability %d: %w", c, err)
		}
	}
	return nil
}
