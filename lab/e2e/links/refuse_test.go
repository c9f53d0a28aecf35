package links

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refusedErrno, set in the environment, makes this program another one under a filter for bpf(2).
const refusedErrno = "UELINK_REFUSED_ERRNO"

// refuseTestRun returns a command that runs another command, whose calls of BPF_PROG_TEST_RUN fail with an error. Every
// other system call works.
func refuseTestRun(errno unix.Errno, cmd *exec.Cmd) *exec.Cmd {
	refused := exec.Command("/proc/self/exe", append([]string{cmd.Path}, cmd.Args[1:]...)...)
	refused.Env = append(cmd.Environ(), fmt.Sprintf("%s=%d", refusedErrno, errno))
	return refused
}

// execRefused executes the command of refuseTestRun in a process of refuseTestRun, and does nothing in any other.
func execRefused() {
	errno, err := strconv.ParseUint(os.Getenv(refusedErrno), 10, 16)
	if err != nil {
		return
	}
	runtime.LockOSThread() // the filter is this thread's
	// The number of the call and the lower half of its first argument are words 0 and 4 of struct seccomp_data.
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_BPF, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.BPF_PROG_TEST_RUN, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "execute under a filter:", err)
	os.Exit(1)
}
