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

// Chunks are made larger only where the MTU decides about them, and where larger ones hold
// its frames: else an interface that works would be given up.
func TestChunksThatAreOutgrown(t *testing.T) {
	for _, c := range []struct {
		chunkSize, mtu, then int
		chunk                int
		want                 bool
	}{
		{0, 1500, 1774, 2048, false},
		{0, 1500, 1775, 2048, true},
		{0, 1500, 3822, 2048, true},
		{0, 1500, 9000, 2048, false},
		{0, 3000, 3822, 4096, false},
		{0, 3000, 9000, 4096, false},
		{2048, 1500, 3000, 2048, false},
	} {
		h := &host{settings: PortSettings{ChunkSize: c.chunkSize}, mtu: c.mtu}
		if err := h.chooseChunk(0); err != nil || h.chunk != c.chunk {
			t.Errorf("%+v: chunks of %d, %v", c, h.chunk, err)
		}
		if got := h.outgrown(c.then); got != c.want {
			t.Errorf("%+v: outgrown %v", c, got)
		}
	}
	h := &host{settings: PortSettings{Name: "p", Interface: "i", ChunkSize: 2048}, mtu: 3000}
	if err := h.chooseChunk(0); err == nil {
		t.Error("chunks of 2048 were taken for an MTU of 3000")
	}
}
