package unit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrMissing is the error where systemd-analyze is not installed.
var ErrMissing = errors.New("systemd-analyze is missing: install the Debian package systemd (make deps)")

// syscalls is the system calls of this machine: their numbers by name, and systemd's sets of them.
type syscalls struct {
	arch    uint32 // AUDIT_ARCH_…
	numbers map[string]uint32
	sets    map[string][]string // "@name": names of calls and of other sets
}

// loadSyscalls returns systemd's sets of system calls, as systemd-analyze prints them, and the numbers of all
// calls, from the source of golang.org/x/sys.
func loadSyscalls() (*syscalls, error) {
	arch, err := architecture()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("systemd-analyze", "--no-pager", "syscall-filter").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("systemd-analyze syscall-filter: %w", err)
	}
	numbers, err := syscallNumbers()
	if err != nil {
		return nil, err
	}
	return &syscalls{arch: arch, numbers: numbers, sets: syscallSets(out)}, nil
}

// architecture returns the kernel's number (AUDIT_ARCH_…) of the architecture for which this program was compiled.
func architecture() (uint32, error) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return 0, fmt.Errorf("system calls of %s are not known here", runtime.GOARCH)
	}
	return arch, nil
}

// syscallSets parses the output of `systemd-analyze syscall-filter` and returns the members of each set by its
// name, "@name".
func syscallSets(text []byte) map[string][]string {
	sets, set := map[string][]string{}, ""
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(lines.Text(), "@"):
			set = line
		case line != "" && !strings.HasPrefix(line, "#"):
			sets[set] = append(sets[set], line)
		}
	}
	return sets
}

// syscallNumbers returns the numbers of this architecture's system calls by name. It reads the constants SYS_… in
// the source of golang.org/x/sys.
func syscallNumbers() (map[string]uint32, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		return nil, fmt.Errorf("go list golang.org/x/sys/unix: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go"))
	if err != nil {
		return nil, err
	}
	numbers := map[string]uint32{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), "=")
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
		if constant, ok := strings.CutPrefix(strings.TrimSpace(name), "SYS_"); ok && err == nil {
			numbers[strings.ToLower(constant)] = uint32(n)
		}
	}
	return numbers, nil
}

// resolve returns the numbers of the named system calls, and of the calls in the named sets. Calls of other
// architectures are left out; an unknown set is an error.
func (s *syscalls) resolve(names ...string) (numbers []uint32, err error) {
	for _, name := range names {
		members, isSet := s.sets[name]
		number, here := s.numbers[name]
		switch {
		case isSet:
			of, err := s.resolve(members...)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, of...)
		case here:
			numbers = append(numbers, number)
		case strings.HasPrefix(name, "@"):
			return nil, fmt.Errorf("systemd knows no set %s of system calls", name)
		}
	}
	return numbers, nil
}
