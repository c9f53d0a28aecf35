package view

import (
	"fmt"
	"io"
	"time"

	"uelink/control/api"
	"uelink/llr"
)

// WriteDetailedInterfaces prints the LLR state of each link in detail, with its loop time and its limits.
func WriteDetailedInterfaces(w io.Writer, interfaces []api.LLRInterface) {
	for i, l := range interfaces {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Heading(w, "Port "+l.Port)
		Dotted(w, "LLR Mode", l.Mode.String())
		Dotted(w, "LLR Local", enabled(l.Local))
		Dotted(w, "LLR Remote", enabled(l.Remote))
		Dotted(w, "LLR Profile", l.Profile)
		Dotted(w, "Tx Status", l.TxStatus.String())
		Dotted(w, "Rx Status", l.RxStatus.String())
		Dotted(w, "Partner", partner(l))
		Dotted(w, "Outstanding Frames", text(l.OutstandingFrames))
		Dotted(w, "Outstanding Bytes", text(l.OutstandingBytes))
		Dotted(w, "Maximum Outstanding Frames",
			recommended(text(l.MaxOutstandingFrames), text(l.RecommendedOutstandingFrames), l.LoopTime))
		Dotted(w, "Maximum Replay Timer",
			recommended(l.MaxReplayTimer.String(), l.RecommendedReplayTimer.String(), l.LoopTime))
		Dotted(w, "Replay Timer Now", replayTimer(l))
		Dotted(w, "Replay", replayKind(l)+recommendedReplay(l))
		Dotted(w, "Kept Frames", text(l.KeptFrames))
		Dotted(w, "Recommended Credit Limit", OrDash(creditLimit(l)))
		writeLoopTime(w, l.LoopTime)
		Dotted(w, "Note", OrDash(l.Note))
	}
}

// recommended returns the text of a setting's present value, inForce, followed by the recommended value better if the
// link's loop time (round trip) was measured.
func recommended(inForce, better string, loop *api.LoopTime) string {
	if loop == nil {
		return inForce
	}
	return inForce + " (recommended: " + better + ")"
}

// replayTimer returns, as text, the length of the replay timer at present, and why.
func replayTimer(l api.LLRInterface) string {
	reason := l.ReplayTimerReason
	switch llr.TimerReason(reason) {
	case llr.TimerConfigured:
		reason = "max_replay_timer of the profile"
	case llr.TimerByLoop:
		reason = "auto: from the measured loop time"
	case llr.TimerUnknown:
		reason = "auto: the loop time is not measured yet"
	case llr.TimerRaised:
		reason = "raised: max_replay_timer of the profile is for hardware, and too short for the measured loop time"
	case llr.TimerSlow:
		reason = "twice as long as the partner has lately taken to acknowledge"
	}
	return fmt.Sprintf("%v (%s)", l.ReplayTimer, reason)
}

// replayKind returns, as text, the kind of replay in force, and why it is not selective where it is not.
func replayKind(l api.LLRInterface) string {
	inForce := fmt.Sprintf("%v sent, %v received", l.ReplayTx, l.ReplayRx)
	if l.ReplayTx == l.ReplayRx {
		inForce = l.ReplayTx.String()
	}
	reason := ""
	switch llr.ReplayReason(l.ReplayReason) {
	case llr.ReplaySelective:
		return inForce
	case llr.ReplayConfigured:
		reason = "as in the LLR profile of the port"
	case llr.ReplayWindow:
		reason = fmt.Sprintf("%v is configured, but selective replay needs max_outstanding_frames of %d or less",
			l.Replay, llr.SelectiveFramesMax)
	case llr.ReplayMemory:
		reason = fmt.Sprintf("%v is configured, but the sockets have no memory for kept frames: reload, or "+
			"restart the daemon", l.Replay)
	case llr.ReplayPartner:
		reason = fmt.Sprintf("%v is configured, but the partner does not keep frames behind a missing one", l.Replay)
	case llr.ReplayNextInit:
		reason = fmt.Sprintf("the configured %v begins with the next LLR_INIT; to send LLR_INIT now: uelink llr "+
			"reinit %s", l.Replay, l.Port)
	}
	return inForce + " (" + reason + ")"
}

// recommendedReplay returns, as text, the kind of replay that suits the recent losses, if another kind is
// configured; else "".
func recommendedReplay(l api.LLRInterface) string {
	if l.RecommendedReplay == l.Replay {
		return ""
	}
	return fmt.Sprintf(" (recommended at both ends: %v: new frames would be %.0f %% of the sent frames, now %.0f %%)",
		l.RecommendedReplay, 100*l.SelectiveGoodput, 100*l.GoBackNGoodput)
}

// creditLimit returns, as text, the credit limit recommended for a lossless VC of a link, "" if it is not known.
func creditLimit(l api.LLRInterface) string {
	if l.RecommendedCreditLimit == 0 {
		return ""
	}
	return text(l.RecommendedCreditLimit)
}

// writeLoopTime prints the distribution of a link's loop time, or that it is not known.
func writeLoopTime(w io.Writer, l *api.LoopTime) {
	if l == nil {
		Dotted(w, "Loop Time", "not known")
		return
	}
	for _, q := range []struct {
		name string
		ns   int64
	}{{"Minimum", l.Min}, {"P50", l.P50}, {"P99", l.P99}, {"Maximum", l.Max}} {
		Dotted(w, "Loop Time "+q.name, time.Duration(q.ns).String())
	}
}
