package bpf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

func TestErrorsTellWhatToDo(t *testing.T) {
	occupant := &OccupiedError{Interface: "eth1", Program: "foo", ID: 12, Err: errors.New("eth1: attach")}
	want := `eth1: attach: another XDP program "foo", id 12, is on eth1: `
	if got := occupant.Error(); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	missing := &PrivilegeError{Missing: []string{"CAP_BPF", "CAP_NET_RAW"}, Err: errors.New("eth1: load")}
	want = "eth1: load: CAP_BPF, CAP_NET_RAW missing: run as root, or grant CAP_NET_ADMIN, CAP_BPF and CAP_NET_RAW"
	if got := missing.Error(); got != want {
		t.Errorf("%s", got)
	}
}

// A missing feature of an old kernel or a driver is named, and is errors.ErrUnsupported.
func TestWhatIsNotSupportedIsNamed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{attachError(attach.ModeGeneric, unix.EINVAL), "has no bpf_link for XDP programs, which needs Linux 5.9"},
		{fmt.Errorf("create link: %w", ebpf.ErrNotSupported), "needs a kernel from 5.11 on"},
		{attachError(attach.ModeDriver, unix.EOPNOTSUPP), "the interface does not support this"},
	} {
		err := explain("eth1: attach", c.err)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v", err)
		}
	}
	const mtu, queues = "is the MTU too large", "are there too few queues for XDP"
	for refused, want := range map[error]string{unix.EINVAL: mtu, unix.ERANGE: mtu, unix.ENOSPC: queues} {
		err := attachError(attach.ModeDriver, refused)
		if errors.Is(err, errors.ErrUnsupported) || !driverRefuses(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

func TestFree(t *testing.T) {
	a, _ := inNamespace(t)
	if err := CheckFree(a); err != nil {
		t.Errorf("a fresh interface: %v", err)
	}
	p := attached(t, a, attach.ModeGeneric)
	var occupied *OccupiedError
	if err := CheckFree(a); !errors.As(err, &occupied) || !errors.Is(err, unix.EBUSY) ||
		occupied.Interface != "a" || occupied.Program != "uelink_steer" {
		t.Errorf("an interface with a program: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CheckFree(a); err != nil {
		t.Errorf("an interface whose program has been taken off: %v", err)
	}
}
