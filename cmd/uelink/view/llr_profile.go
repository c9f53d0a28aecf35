package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/llr"
)

// WriteLLRProfiles prints LLR profiles, each with all its values.
func WriteLLRProfiles(w io.Writer, profiles []api.LLRProfile) {
	for i, p := range profiles {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeLLRProfile(w, p)
	}
}

// writeLLRProfile prints an LLR profile under the names of SONiC's commands.
func writeLLRProfile(w io.Writer, p api.LLRProfile) {
	Heading(w, "LLR Profile: "+p.Name)
	Dotted(w, "Maximum Outstanding Frames", autoOr(p.MaxOutstandingFrames == 0, Count(uint64(p.MaxOutstandingFrames))))
	Dotted(w, "Maximum Outstanding Bytes", text(p.MaxOutstandingBytes))
	Dotted(w, "Maximum Replay Count", replays(p.MaxReplayCount))
	Dotted(w, "Maximum Replay Timer", autoOr(p.MaxReplayTimer == 0, p.MaxReplayTimer.String()))
	Dotted(w, "Hold Timeout", timeout(p.HoldTimeout))
	Dotted(w, "PCS Lost Status Timeout", timeout(p.PCSLostTimeout))
	Dotted(w, "Data Age Timeout", timeout(p.DataAgeTimeout))
	Dotted(w, "Replay", p.Replay)
	Dotted(w, "CtlOS Spacing Bytes", text(p.CtlOSSpacingBytes))
	Dotted(w, "Init Action", p.InitAction)
	Dotted(w, "Flush Action", p.FlushAction)
	Dotted(w, "Re-Init on Flush", enabled(p.ReInitOnFlush))
}

// autoOr returns "auto" if auto is true (the setting follows the loop time), else value.
func autoOr(auto bool, value string) string {
	if auto {
		return "auto"
	}
	return value
}

func replays(n uint8) string {
	if n == llr.NoReplayLimit {
		return "no limit"
	}
	return text(n)
}
