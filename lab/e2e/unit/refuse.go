package unit

import (
	"encoding/json"
	"os/exec"

	"golang.org/x/sys/unix"
)

// RefuseBPF returns a command that runs another command under a seccomp filter, without a unit: the given command of
// bpf(2) (unix.BPF_PROG_LOAD …) fails with the given error, and every other system call works. root must start it.
func RefuseBPF(command uint32, errno unix.Errno, cmd *exec.Cmd) (*exec.Cmd, error) {
	arch, err := architecture()
	if err != nil {
		return nil, err
	}
	is := condition{argument: 0, mask: ^uint32(0), value: command}
	calls := &syscalls{numbers: map[string]uint32{"bpf": unix.SYS_BPF}}
	filter, err := denyList(arch, calls, []rule{{calls: []string{"bpf"}, when: []condition{is}, errno: errno}})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(order{
		Args: append([]string{cmd.Path}, cmd.Args[1:]...), Env: cmd.Environ(), FiltersAlone: true,
		Filters: [][]unix.SockFilter{filter},
	})
	if err != nil {
		return nil, err
	}
	return launcher(text), nil
}
