package unit

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A filter is a program of the kernel's classic BPF over struct seccomp_data: the number of a system call, its
// architecture and its arguments.
const (
	dataNumber    = 0
	dataArch      = 4
	dataArguments = 16 // 64 bits each, the lower half first
	x32           = 1 << 30
)

// rule refuses system calls with an error if all conditions hold for their arguments.
type rule struct {
	calls []string
	when  []condition
	errno unix.Errno
}

// condition compares the masked lower half of an argument with a value.
type condition struct {
	argument int
	mask     uint32
	value    uint32
	differs  bool // true: the argument must differ from the value
}

// isNot returns the condition of a seccomp rule that an argument, by its number from 0, differs from a value.
func isNot(argument int, value uint32) condition { return condition{argument, ^uint32(0), value, true} }

// has returns the condition of a seccomp rule that all of these bits are set in an argument, by its number from 0.
func has(argument int, bits uint32) condition { return condition{argument, bits, bits, false} }

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// onlyIf returns a BPF instruction that goes on with the next instruction if the loaded value equals k (with
// differs: differs from k), and else jumps over skip instructions.
func onlyIf(k uint32, differs bool, skip int) unix.SockFilter {
	f := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(skip)}
	if differs {
		f.Jt, f.Jf = f.Jf, f.Jt
	}
	return f
}

func refuse(errno unix.Errno) unix.SockFilter { return ret(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// prologue returns the first BPF instructions of a seccomp filter: they end with the action foreign for calls of
// an architecture other than arch, x32 included, and load the number of the call for all others.
func prologue(arch, foreign uint32) []unix.SockFilter {
	return []unix.SockFilter{
		load(dataArch), onlyIf(arch, true, 1), ret(foreign),
		load(dataNumber), {Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1}, ret(foreign),
	}
}

// nativeOnly returns the seccomp filter of SystemCallArchitectures=native: it kills a process that makes calls of
// an architecture other than arch.
func nativeOnly(arch uint32) []unix.SockFilter {
	return append(prologue(arch, unix.SECCOMP_RET_KILL_PROCESS), ret(unix.SECCOMP_RET_ALLOW))
}

// denyList returns a seccomp filter, as BPF instructions, that allows every system call except those refused by
// the rules.
func denyList(arch uint32, calls *syscalls, rules []rule) ([]unix.SockFilter, error) {
	program := prologue(arch, unix.SECCOMP_RET_ALLOW)
	for _, r := range rules {
		numbers, err := calls.resolve(r.calls...)
		if err != nil {
			return nil, err
		}
		for _, number := range numbers {
			program = append(program, r.body(number)...)
		}
	}
	return append(program, ret(unix.SECCOMP_RET_ALLOW)), nil
}

// body returns the BPF instructions that apply the rule to the system call with a number.
func (r rule) body(number uint32) []unix.SockFilter {
	left := 3*len(r.when) + 1 // instructions after the first comparison
	body := []unix.SockFilter{load(dataNumber), onlyIf(number, false, left)}
	for _, c := range r.when {
		left -= 3
		mask := unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask}
		body = append(body, load(uint32(dataArguments+8*c.argument)), mask, onlyIf(c.value, c.differs, left))
	}
	return append(body, refuse(r.errno))
}

// allowList returns a seccomp filter, as BPF instructions, that allows the given system calls only; all others
// fail with errno.
func allowList(arch uint32, allowed []uint32, errno unix.Errno) []unix.SockFilter {
	program := prologue(arch, unix.SECCOMP_RET_ALLOW)
	for _, number := range allowed {
		program = append(program, onlyIf(number, false, 1), ret(unix.SECCOMP_RET_ALLOW))
	}
	return append(program, refuse(errno))
}

// install applies a seccomp filter to the calling thread, permanently.
func install(program []unix.SockFilter) error {
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
}
