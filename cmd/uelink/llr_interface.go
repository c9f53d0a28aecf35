package main

import (
	"fmt"
	"io"
	"time"

	"uelink/control/api"
)

// writeDetailedInterfaces prints the LLR state of each link in detail, with its loop time and its limits.
func writeDetailedInterfaces(w io.Writer, interfaces []api.LLRInterface) {
	for i, l := range interfaces {
		if i > 0 {
			fmt.Fprintln(w)
		}
		heading(w, "Port "+l.Port)
		dotted(w, "LLR Mode", l.Mode.String())
		dotted(w, "LLR Local", enabled(l.Local))
		dotted(w, "LLR Remote", enabled(l.Remote))
		dotted(w, "LLR Profile", l.Profile)
		dotted(w, "Tx Status", l.TxStatus.String())
		dotted(w, "Rx Status", l.RxStatus.String())
		dotted(w, "Partner", partner(l))
		dotted(w, "Outstanding Frames", text(l.OutstandingFrames))
		dotted(w, "Outstanding Bytes", text(l.OutstandingBytes))
		dotted(w, "Maximum Outstanding Frames",
			recommended(text(l.MaxOutstandingFrames), text(l.RecommendedOutstandingFrames), l.LoopTime))
		dotted(w, "Maximum Replay Timer",
			recommended(l.MaxReplayTimer.String(), l.RecommendedReplayTimer.String(), l.LoopTime))
		dotted(w, "Recommended Credit Limit", orDash(creditLimit(l)))
		writeLoopTime(w, l.LoopTime)
		dotted(w, "Note", orDash(l.Note))
	}
}

// recommended returns the text of a setting's value in force, followed by the recommended value better if the loop
// time is known.
func recommended(inForce, better string, loop *api.LoopTime) string {
	if loop == nil {
		return inForce
	}
	return inForce + " (recommended: " + better + ")"
}

// creditLimit returns, as text, the credit limit recommended for a lossless VC of a link, "" if it is not known.
func creditLimit(l api.LLRInterface) string {
	if l.RecommendedCreditLimit == 0 {
		return ""
	}
	return text(l.RecommendedCreditLimit)
}

func writeLoopTime(w io.Writer, l *api.LoopTime) {
	if l == nil {
		dotted(w, "Loop Time", "not known")
		return
	}
	for _, q := range []struct {
		name string
		ns   int64
	}{{"Minimum", l.Min}, {"P50", l.P50}, {"P99", l.P99}, {"Maximum", l.Max}} {
		dotted(w, "Loop Time "+q.name, time.Duration(q.ns).String())
	}
}
