package main

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// A daemon that is up keeps the four capabilities, and CAP_SYS_ADMIN where an edge needs it, which it says.
func TestPrivilegesOfARunningDaemon(t *testing.T) {
	for name, c := range map[string]struct {
		beside []string
		keeps  error
		kept   string
		logged string
	}{
		"four": {nil, nil, "CAP_NET_ADMIN CAP_NET_RAW CAP_BPF CAP_IPC_LOCK", "privileges are dropped"},
		"an edge beside another namespace": {[]string{"edge0"}, nil,
			"CAP_NET_ADMIN CAP_NET_RAW CAP_BPF CAP_IPC_LOCK CAP_SYS_ADMIN", "CAP_SYS_ADMIN is kept"},
		"not possible": {nil, errors.New("built with cgo"), "CAP_NET_ADMIN CAP_NET_RAW CAP_BPF CAP_IPC_LOCK",
			"the daemon failed to drop its privileges"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeFrames()
			f.beside, f.keeps = c.beside, c.keeps
			r := begin(t, f, nil)
			r.logged(c.logged)
			r.logged("ready")
			if f.kept.String() != c.kept || strings.Contains(c.kept, "SYS_ADMIN") != (f.kept&enterNamespaces != 0) {
				t.Errorf("kept %v, want %s", f.kept, c.kept)
			}
			r.signals <- syscall.SIGTERM
			if code := r.ended(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}
