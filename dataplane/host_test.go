package dataplane

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/xsk"
)

// However deep a privilege was missed, what to do about it is said once.
func TestDeniedSaysOnceWhatToDo(t *testing.T) {
	h := &host{settings: PortSettings{Name: "link0", Interface: "eth1"}}
	for name, err := range map[string]error{
		"set by netlink": unix.EPERM,
		"program":        &bpf.PrivilegeError{Missing: []string{"CAP_BPF"}, Err: unix.EPERM},
		"socket":         fmt.Errorf("queue 0: %w", &xsk.PrivilegeError{Err: unix.EPERM}),
	} {
		got := h.denied("doing it", err)
		if n := strings.Count(got.Error(), "run as root"); n != 1 {
			t.Errorf("%s: %d times in %v", name, n, got)
		}
		var coded *Error
		if !errors.As(got, &coded) || coded.ExitCode() != 3 || !errors.Is(got, fs.ErrPermission) {
			t.Errorf("%s: %#v", name, got)
		}
	}
}
