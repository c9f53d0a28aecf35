package unit

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A filter is a program of the kernel's classic BPF over struct seccomp_data: the
// number of a system call, its architecture and its arguments.
const (
	dataNumber    = 0
	dataArch      = 4
	dataArguments = 16 // octets each of 64 bits; the lower half comes first
	x32           = 1 << 30
)

// rule is system calls that are answered with an error, if all conditions hold of
// their arguments.
type rule struct {
	calls []string
	when  []condition
	errno unix.Errno
}

// condition compares the lower half of an argument under a mask.
type condition struct {
	argument int
	mask     uint32
	value    uint32
	differs  bool // the argument is to be another one than the value
}

// isNot asks whether an argument is another one than a value.
func isNot(argument int, value uint32) condition { return condition{argument, ^uint32(0), value, true} }

// has asks whether all of these bits are set in an argument.
func has(argument int, bits uint32) condition { return condition{argument, bits, bits, false} }

func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// onlyIf goes on if what is loaded equals k, or differs from it, and skips the next
// instructions otherwise.
func onlyIf(k uint32, differs bool, skip int) unix.SockFilter {
	f := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(skip)}
	if differs {
		f.Jt, f.Jf = f.Jf, f.Jt
	}
	return f
}

func refuse(errno unix.Errno) unix.SockFilter { return ret(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// prologue answers calls of another architecture, x32 among them, with an action and
// loads the number of all others.
func prologue(arch, foreign uint32) []unix.SockFilter {
	return []unix.SockFilter{
		load(dataArch), onlyIf(arch, true, 1), ret(foreign),
		load(dataNumber), {Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: x32, Jf: 1}, ret(foreign),
	}
}

// nativeOnly is SystemCallArchitectures=native.
func nativeOnly(arch uint32) []unix.SockFilter {
	return append(prologue(arch, unix.SECCOMP_RET_KILL_PROCESS), ret(unix.SECCOMP_RET_ALLOW))
}

// denyList is a filter that allows all but what the rules refuse.
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

// body is the instructions of a rule for one system call.
func (r rule) body(number uint32) []unix.SockFilter {
	left := 3*len(r.when) + 1 // instructions behind the first comparison
	body := []unix.SockFilter{load(dataNumber), onlyIf(number, false, left)}
	for _, c := range r.when {
		left -= 3
		mask := unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask}
		body = append(body, load(uint32(dataArguments+8*c.argument)), mask, onlyIf(c.value, c.differs, left))
	}
	return append(body, refuse(r.errno))
}

// allowList is a filter that allows these calls only; all others fail with an error.
func allowList(arch uint32, allowed []uint32, errno unix.Errno) []unix.SockFilter {
	program := prologue(arch, unix.SECCOMP_RET_ALLOW)
	for _, number := range allowed {
		program = append(program, onlyIf(number, false, 1), ret(unix.SECCOMP_RET_ALLOW))
	}
	return append(program, refuse(errno))
}

// install has the calling thread obey a filter, for good.
func install(program []unix.SockFilter) error {
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
}
