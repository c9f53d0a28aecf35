package path

import (
	"fmt"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// stallNoticed is the time for which replays must bring no progress until the link counts as stalled. A busy host that
// does not acknowledge for some milliseconds is nothing that an operator can mend.
const stallNoticed = 100 * time.Millisecond

// updateStall notes since when replays bring no progress, and returns for how long; 0 while there is progress.
func (l *Link) updateStall(now wire.Time) time.Duration {
	if _, replays := l.LLR.Tx.Stalled(); replays == 0 {
		l.reports.stallSince = 0
		return 0
	}
	if l.reports.stallSince == 0 {
		l.reports.stallSince = now
	}
	return now.Sub(l.reports.stallSince)
}

// reportStall publishes an event when the link has begun to stall, or its end: by an acknowledgement, or because LLR
// has given the frames up.
func (l *Link) reportStall(h *model.Hub, current reported) {
	text := "over: frames are acknowledged again"
	switch {
	case current.stalled:
		text = l.stalledText()
	case current.tx != llr.TxAdvance:
		text = fmt.Sprintf("over: LLR is in %s, and sends the frame no more", current.tx)
	}
	h.PublishAt(model.WarnIf(current.stalled), l.Port.settings.Name, model.EventLLRStalled, text)
}

// stalledText returns in words the frame that replays do not get through to the partner; empty if there is none.
func (l *Link) stalledText() string {
	f, replays := l.LLR.Tx.Stalled()
	if replays == 0 {
		return ""
	}
	return fmt.Sprintf("a frame of %s is not acknowledged: %d replays without progress", l.frameText(f), replays)
}
