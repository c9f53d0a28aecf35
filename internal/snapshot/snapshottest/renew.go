package snapshottest

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"uelink/internal/snapshot"
)

// Renew restores the state of a machine into a fresh one. It returns an error if the state cannot be restored, or if
// the fresh machine saves another state.
func Renew(machine, fresh snapshot.Machine) error {
	saved := snapshot.Save("machine", machine)
	if err := snapshot.Restore("machine", saved, fresh); err != nil {
		return fmt.Errorf("%w\n%s", err, saved)
	}
	if resaved := snapshot.Save("machine", fresh); !bytes.Equal(saved, resaved) {
		return fmt.Errorf("saved:\n%s\nrestored:\n%s", saved, resaved)
	}
	return nil
}

// Body returns the lines of a saved state without its first and its last line.
func Body(m snapshot.Machine) []byte {
	lines := bytes.SplitAfter(snapshot.Save("machine", m), []byte("\n"))
	return bytes.Join(lines[1:len(lines)-2], nil)
}

// Restore adds a valid first and last line to the given lines, restores a machine from the result, and returns the
// error of the restore.
func Restore(body []byte, m snapshot.Machine) error {
	state := fmt.Appendf(nil, "uelink-state %d machine\n%s", snapshot.Version, body)
	if n := len(body); n > 0 && body[n-1] != '\n' {
		state = append(state, '\n')
	}
	state = fmt.Appendf(state, "end %d %08x\n", len(state), crc32.ChecksumIEEE(state))
	return snapshot.Restore("machine", state, m)
}
