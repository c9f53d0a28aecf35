package ue

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return NewPort(Codec{}, Options{}) }, "codec", "buf")
}
