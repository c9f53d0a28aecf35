package netif

import (
	"errors"
	"fmt"
	"io/fs"

	"uelink/dataplane/netdev"
)

// PushFault is the state of push back that PushBack.Check and HostEnd.Check find.
type PushFault uint8

// The findings.
const (
	PushWorks   PushFault = iota
	PushStale             // the kernel has new NAPI instances: the interface was down
	PushChanged           // settings were changed by others, and are restored
	PushLost              // settings were changed by others, and cannot be restored
)

// Check checks whether the pumps still poll the kernel's present NAPI instances, and restores settings of the
// instances that somebody has changed; text says which.
func (b *PushBack) Check() (fault PushFault, text string) {
	for _, p := range b.pumps {
		want := netdev.NAPI{ID: p.napi, Defer: napiDefer, Timeout: Watchdog}
		n, err := netdev.GetNAPI(p.napi)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return PushStale, "the interface was down"
		case err != nil:
			return PushLost, err.Error()
		case n == want:
			continue
		}
		fault, text = PushChanged, fmt.Sprintf("napi_defer_hard_irqs was %d and gro_flush_timeout %d ns", n.Defer,
			n.Timeout.Nanoseconds())
		if err := netdev.SetNAPI(want); err != nil {
			return PushLost, fmt.Sprintf("%s: %v", text, err)
		}
	}
	return fault, text
}
