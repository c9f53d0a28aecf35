package unit

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

func calls(t testing.TB) *syscalls {
	t.Helper()
	c, err := loadSyscalls()
	if errors.Is(err, ErrMissing) {
		nstest.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDirectivesThatAreNotUnderstoodAreRefused(t *testing.T) {
	c := calls(t)
	const start = "[Unit]\nAnything=1\n[Service]\n# a comment\nExecStart=/bin/true --flag\n"
	if u, err := parse(start+"Type=notify\n[Install]\nWantedBy=x\n", c); err != nil || len(u.Start) != 2 {
		t.Errorf("a unit that is understood: %+v, %v", u, err)
	}
	for _, line := range []string{
		"IPAddressDeny=any", "ProtectSystem=full", "PrivateTmp=maybe",
		"AmbientCapabilities=CAP_CHOWN", "RestrictAddressFamilies=AF_VSOCK", "RestrictRealtime=yes",
		"NoNewPrivileges=yes\nSystemCallFilter=@no-such-set", "NoNewPrivileges=yes\nSystemCallFilter=~@clock",
		`ExecReload=/bin/sh -c "true"`, "ExecStart=/bin/false", "no directive", "StateDirectory=a b",
	} {
		if _, err := parse(start+line+"\n", c); err == nil {
			t.Errorf("%q was taken", line)
		} else {
			t.Log(err)
		}
	}
	if _, err := parse("[Service]\nType=notify\n", c); err == nil {
		t.Error("a unit without ExecStart was taken")
	}
}

func TestSyscallSetsAreNumbers(t *testing.T) {
	c := calls(t)
	numbers, err := c.resolve("@system-service", "bpf")
	if err != nil {
		t.Fatal(err)
	}
	in := map[uint32]bool{}
	for _, n := range numbers {
		in[n] = true
	}
	for _, n := range []uint32{unix.SYS_READ, unix.SYS_SENDTO, unix.SYS_BPF, unix.SYS_FLOCK} {
		if !in[n] {
			t.Errorf("call %d is not in @system-service and bpf", n)
		}
	}
	for _, n := range []uint32{unix.SYS_MOUNT, unix.SYS_INIT_MODULE, unix.SYS_REBOOT} {
		if in[n] {
			t.Errorf("call %d is in @system-service", n)
		}
	}
}

// The longest jump of a filter has to fit its octet.
func TestRulesAreShortEnoughForTheirJumps(t *testing.T) {
	for _, rules := range [][]rule{namespaces(), writableCode(), realtime(), otherPersonality(), setIDBits()} {
		for _, r := range rules {
			if n := len(r.body(0)); n > 255 {
				t.Errorf("%s: %d instructions", strings.Join(r.calls, " "), n)
			}
		}
	}
}
