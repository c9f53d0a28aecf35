package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/config/schema"
	"uelink/control"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// The exit code of each kind of error, as docs/OPERATING.md has them.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("worker 0 died"), 1},
		{fmt.Errorf("control socket s: %w by another uelinkd", control.ErrInUse), 1},
		{&net.OpError{Op: "listen", Err: syscall.EADDRINUSE}, 1},
		{errors.Join(errors.New("first"), &schema.Error{}), 2},
		{fmt.Errorf("control socket s: %w", &control.SettingError{Err: errors.New("no group")}), 2},
		{fmt.Errorf("start: %w", coded{2}), 2},
		{fmt.Errorf("start: %w", coded{3}), 3},
		{fmt.Errorf("open: %w", fs.ErrPermission), 3},
		{&os.PathError{Op: "open", Path: "s", Err: syscall.EACCES}, 3},
		{&os.SyscallError{Syscall: "bpf", Err: syscall.EPERM}, 3},
		{&unconfirmedError{time.Second}, 4},
	} {
		if code := exitCode(c.err); code != c.code {
			t.Errorf("%v: exit %d, want %d", c.err, code, c.code)
		}
	}
}

// A daemon that cannot start ends with the code of the reason, and leaves no socket and no lock behind.
func TestExitCodesOfAStart(t *testing.T) {
	refused := func(err error) opener {
		return func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return nil, err }
	}
	for name, c := range map[string]struct {
		open opener
		code int
	}{
		"what is no Ethernet":  {refused(coded{2}), 2},
		"a missing privilege":  {refused(coded{3}), 3},
		"an operation refused": {refused(&os.SyscallError{Syscall: "bpf", Err: syscall.EPERM}), 3},
		"anything else":        {refused(errors.New("no memory")), 1},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			file := write(t, "uelink.yaml", fmt.Sprintf(someConfig, "info", socket))
			r := beginWith(t, newFakeFrames(), file, socket, c.open)
			if code := r.ended(); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, path := range []string{socket, control.LockPath(socket)} {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left: %v", path, err)
				}
			}
		})
	}
}

// The service manager is told how many ports wait for their interface.
func TestSummary(t *testing.T) {
	up, absent := model.PortState{OperStatus: model.OperUp}, model.PortState{OperStatus: model.OperAbsent}
	for want, ports := range map[string][]model.PortState{
		"0 ports": nil, "2 ports": {up, up}, "3 ports, 2 of them wait for their interface": {absent, up, absent},
	} {
		if got := summary(ports); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
