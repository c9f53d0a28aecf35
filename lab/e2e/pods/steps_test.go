package pods

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// A stepped process stops before each system call by which it changes anything, until a function of the test has seen
// the call: seccomp hands it to the test (SECCOMP_RET_USER_NOTIF in seccomp(2)). The program needs no code for that.
//
//	test ── starts itself again as ── launcher: installs the filter ── executes ── program
//	 └───── takes the listener of the filter from the process by pidfd_getfd(2)

// steppedVariable, set in its environment, makes the test the launcher.
const steppedVariable = "UELINK_PODS_STEPPED"

// listenerFD is the descriptor of the listener in the launched process.
const listenerFD = 200

// steps are the system calls that stop a process: requests to the kernel's netlink, and writes to files, sockets and
// pipes.
var steps = []uint32{unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_WRITE}

// launchStepped executes the program in the arguments under the filter if the environment says so. It returns in any
// other process.
func launchStepped() {
	if os.Getenv(steppedVariable) == "" {
		return
	}
	runtime.LockOSThread() // the filter is of the calling thread, which executes the program
	fmt.Fprintln(os.Stderr, "launch:", errors.Join(installFilter(), os.Unsetenv(steppedVariable),
		syscall.Exec(os.Args[1], os.Args[1:], os.Environ())))
	os.Exit(1)
}

// installFilter makes the calls in steps of the calling thread wait for the listener, and gives that its number.
func installFilter() error {
	load := unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS} // the number of the call
	program := []unix.SockFilter{load}
	for i, call := range steps {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call,
			Jt: uint8(len(steps) - i)})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&f)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return unix.Dup3(int(fd), listenerFD, 0) // which stays open in the executed program
}

// notification is struct seccomp_notif, and permission struct seccomp_notif_resp.
type (
	notification struct {
		id         uint64
		pid, flags uint32
		number     int32
		arch       uint32
		ip         uint64
		arguments  [6]uint64
	}
	permission struct {
		id           uint64
		value        int64
		errno, flags int32
	}
)

// stepped makes a command a stepped process. The returned function, called once the command runs, calls seen before
// each step of the process, and returns when the process and its children have ended. Steps of children go on.
func stepped(t *testing.T, cmd *exec.Cmd) (follow func(seen func(step int))) {
	t.Helper()
	self, err := os.Executable()
	bed.Must(t, err)
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.Env = self, append(cmd.Env, steppedVariable+"=yes")
	return func(seen func(step int)) {
		pid := cmd.Process.Pid
		listener := listenerOf(t, pid)
		defer unix.Close(listener)
		for step := 0; ; {
			// The end of the last process does not always wake a poll: it ends by itself.
			poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
			if _, err := unix.Poll(poll, 10); err != nil && err != unix.EINTR {
				t.Errorf("poll: %v", err)
			}
			switch {
			case poll[0].Revents&unix.POLLIN != 0:
			case poll[0].Revents&unix.POLLHUP != 0:
				return
			default:
				continue
			}
			var n notification
			if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
				continue // the process has been killed
			}
			_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", pid, n.pid))
			// Writes of eight octets are Go's own, to wake its poller.
			if err == nil && (n.number != unix.SYS_WRITE || n.arguments[2] != 8) {
				step++
				seen(step)
			}
			allowed := permission{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
			_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&allowed)) // unless it has been killed
		}
	}
}

// listenerOf takes the listener of a stepped process, once it is there.
func listenerOf(t *testing.T, pid int) (listener int) {
	t.Helper()
	process, err := unix.PidfdOpen(pid, 0)
	bed.Must(t, err)
	defer unix.Close(process)
	bed.Eventually(t, "the listener of the stepped process", func() string {
		if listener, err = unix.PidfdGetfd(process, listenerFD, 0); err != nil {
			return err.Error()
		}
		return ""
	})
	return listener
}

func ioctl(fd int, request uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}
