package path

import (
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/llr"
)

// The fields that stay out are those of the devices and of settings, scratch memory, fields computed in each round, and
// the queues, which belong to the state of the domain.
func TestPortStateHasEveryField(t *testing.T) {
	inOneGoroutine(t)
	snapshottest.EveryField(t, func() snapshot.Machine {
		s := model.PortSettings{Role: model.RoleLink}
		l := NewLink(s, llr.Profile{MaxOutstandingFrames: 4}, Identity{}, time.Second, 0)
		l.modes.postponed = &Negotiated{}
		return &l.Port
	}, "caught", "HIPPI", "link", "settings.*", "Other", "Number", "iface.maxFrame", "iface.tagRoom", "rx.*",
		"edited.*", "findings.asked.*", "findings.conflicts", "findings.twin.*", "blocked", "Suspended", "tx.*",
		"egress.waiting", "egress.filled", "egress.shut", "egress.halted", "egress.closed",
		"pause.stopped", "egress.shaped", "egress.queues.*",
		"egress.sched.*", "pause.pauser.*", "pause.paused.*",
		"Slots.first", "Slots.size", "Slots.pool.*", "Slots.Posted", "Slots.saved",
		"Link.LLR.*", "Link.cbfc.*", "Link.Partner.*", "Link.modes.machine.*", "Link.Bookmark.place.*",
		"Link.account.counts.*", "Link.account.note.*", "Link.control.*", "Link.addressing.network",
		"Link.Lengths.required", "Link.Lengths.requiredIn",
		"Link.buffered.*") // Settle gives up what is kept; the settings have the kind of replay
}

func TestHIPPIStateHasEveryField(t *testing.T) {
	inOneGoroutine(t)
	fresh := func() snapshot.Machine { return &saved{NewHIPPI(hippiDefaults().settings, Identity{}, 0)} }
	snapshottest.EveryField(t, fresh,
		"h.Port.*", "h.End.*", "h.out.staged[0][]", "h.out.staged[0][0]", "h.out.staged[3][]", "h.out.staged[3][0]",
		"h.out.into", "h.out.open[]", "h.out.filled", "h.out.most", "h.out.asks", "h.out.scrap.*", "h.in.assembly.*",
		"h.in.arrives", "h.control.*")
}

// saved is a link without that of its port.
type saved struct{ h *HIPPI }

func (s *saved) PassState(state *snapshot.State) { s.h.passState(state) }
