package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/hippi"
	"uelink/llr"
)

// problems collects the problems of a port.
type problems []Line

// add adds a problem, and the command to type here; "" if there is none.
func (l *problems) add(severity Severity, command, problem string) {
	l.addAt(severity, "", command, problem)
}

// addAt adds a problem, and the command to type at a place.
func (l *problems) addAt(severity Severity, at, command, problem string) {
	*l = append(*l, newLine(severity, problem, command, at))
}

// named gives the latest problem its kinds: words that stay the same while the text of the problem changes.
func (l problems) named(kinds ...string) { l[len(l)-1].kinds = kinds }

// setKey returns the commands that set a key of a port in the configuration file, and put the file in force.
func setKey(port, key, value string) string {
	return setKeys(port, key, value)
}

// setKeys returns the commands that set keys of a port in the configuration file, each with its value behind it, and
// put the file in force.
func setKeys(port string, keysAndValues ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		fmt.Fprintf(&b, "uelink config set ports.%s.%s %s && ", port, keysAndValues[i], keysAndValues[i+1])
	}
	return b.String() + api.ReloadCommand
}

// allWell returns a phrase for a port that has no problem, such as "LLR ADVANCE and ADVANCE with" and the partner's
// address.
func allWell(p api.Port) string {
	switch l := p.LLR; {
	case p.HIPPI != nil:
		return fmt.Sprintf("HIPPI-6400 %s with %s", p.HIPPI.LinkState, cmp.Or(p.HIPPI.PartnerMAC.String(), "-"))
	case len(p.Unanswered) > 0:
		return p.OperStatus + ", its host asks for " + strings.Join(p.Unanswered, ", ") +
			", and nobody answers: is that " +
			"address off, or in another subnet or VLAN?"
	case p.Finishes:
		return p.OperStatus + ", finishes the checksums of its host: ethtool -K IF tx off at the host saves that"
	case l == nil:
		return p.OperStatus
	case l.TxStatus == llr.TxOff && l.RxStatus == llr.RxOff:
		return p.OperStatus + ", LLR is off"
	default:
		return fmt.Sprintf("LLR %s and %s with %s", l.TxStatus, l.RxStatus, cmp.Or(l.PartnerMAC.String(), "-"))
	}
}

// portProblems returns the problems of a port, each without the port's name. A problem that causes others comes
// first: while the interface is not up, nothing else is examined. A fault that is an unmet wish has its line elsewhere.
func portProblems(p api.Port) (list problems) {
	if p.OperStatus != api.OperUp {
		list.interfaceNotUp(p)
		return list
	}
	if p.LLR != nil {
		list.link(p)
	}
	if p.HIPPI != nil {
		list.hippi(p)
	}
	if p.StandsStill {
		list.standsStill(p)
	} else if p.PFC != nil {
		list.oftenPaused(p)
	}
	if p.Fault != "" && !inUnmet(p) {
		list.add(Warning, api.CommandIn(p.Fault), p.Fault)
		list.named(p.FaultReasons...)
	}
	if p.CBFC != nil {
		for _, vc := range p.CBFC.VCs {
			if vc.Failure != "" {
				list.add(Warning, "",
					fmt.Sprintf("virtual channel %d is not lossless: %s%s", vc.VC, vc.Failure, awaited(p)))
			}
		}
	}
	return list
}

// tooLong reports whether all faults of port p are drops that follow from a length problem of the link. That problem
// has a line of its own, with the cure.
func tooLong(p, link api.Port) bool {
	lengths := []string{"partner_length", "own_length", "wire_length"}
	return slices.Contains(lengths, link.PartnerProblemReason) && len(p.FaultReasons) > 0 &&
		!slices.ContainsFunc(p.FaultReasons, func(reason string) bool {
			return reason != "tx_dropped" && reason != "oversized"
		})
}

// awaited returns the end of a message about a channel without credits: the partner whose configuration must change.
// The status of the partner shows the command to type there.
func awaited(p api.Port) string {
	if p.LLR == nil || !p.LLR.PartnerKnown {
		return ""
	}
	return ": waiting for cbfc at " + p.LLR.PartnerMAC.String()
}

// interfaceNotUp adds the problem of a port whose interface is absent, switched off, or without a carrier, with the
// command that switches on what is off. Without a carrier, the cause and the command depend on the port's role.
func (l *problems) interfaceNotUp(p api.Port) {
	up := "ip link set dev " + p.Interface + " up"
	switch {
	case p.OperStatus == "absent":
		l.add(Broken, "ip -d link show", cmp.Or(p.Fault, "the interface does not exist"))
	case slices.Contains(p.FaultReasons, "link_loss"):
		l.add(Broken, "uelink port "+p.XConnect, p.Fault)
	case p.AdminStatus == "down":
		l.add(Broken, up, "the interface is switched off")
	case p.AdminStatus == "up" && p.Role == "link":
		l.add(Broken, "", "no carrier: the interface at the other end is switched off, or the wire is cut")
	case p.AdminStatus == "up" && p.HostInterface != "":
		l.add(Broken, "ip link set dev "+p.HostInterface+" up",
			"the host's interface "+p.HostInterface+" is switched off")
	case p.AdminStatus == "up":
		l.addAt(Broken, atHost, "ip link show",
			"no carrier: the wire is cut, or the interface at its other end is switched off")
	default:
		l.add(Broken, up, "the interface is "+p.OperStatus+", or nothing is at the other end of its wire")
	}
}

// standsStill adds the problem of an edge that takes no frames: its host has stopped it by PAUSE or PFC, or does not
// take the frames from the interface.
func (l *problems) standsStill(p api.Port) {
	switch {
	case p.PFC == nil || len(p.PFC.RxPaused) == 0:
		l.addAt(Warning, atHost, "tc -s qdisc show",
			"no frames leave by this port: the host does not take frames from its interface")
	case p.PFC.Pause && p.PFC.RxPause > 0:
		l.add(Warning, setKey(p.Name, "pfc.pause", "false"),
			"no frames leave by this port: the host stops the port by PAUSE; with pfc.pause false the port ignores PAUSE")
	default:
		l.add(Warning, setKey(p.Name, "pfc.mode", "off"),
			"no frames leave by this port: the host stops the port by PFC; with pfc.mode off the port ignores PFC")
	}
}

// pausedMuch is the share of time, 0 to 1, from which on a priority stopped by the host counts as a problem.
const pausedMuch = 0.5

// oftenPaused adds a problem for each priority that the host stops much of the time, with breaks.
func (l *problems) oftenPaused(p api.Port) {
	for _, priority := range p.PFC.Priorities {
		if priority.RxPausedShare >= pausedMuch {
			l.addAt(Warning, atHost, "ip -s link show",
				fmt.Sprintf("the host has stopped priority %d for %.0f %% of the last "+
					"10 s: the host, or a receiver behind the host, is slow", priority.Priority, 100*priority.RxPausedShare))
		}
	}
}

// link adds the LLR problems of a link port whose interface is up: one of the handshake or the partner, then frames
// that stand still, a wrong replay timer, and a partner that is busy or away. A problem of the partner is an error if
// no frames cross.
func (l *problems) link(p api.Port) {
	r, severity := p.LLR, Warning
	if !r.Established() || r.Stalled != "" {
		severity = Broken
	}
	switch {
	case r.TxStatus == llr.TxFlush:
		l.add(Broken, "uelink llr reinit "+p.Name, "LLR has given up: "+cmp.Or(p.ErrorText, r.FlushReason))
	case r.PartnerProblem != "":
		l.add(severity, p.PartnerProblemCommand, r.PartnerProblem)
		l.named("partner " + p.PartnerProblemReason)
	case r.Remote && r.TxStatus == llr.TxInit:
		l.add(Broken, "", "nobody answers yet: no uelinkd with LLR is heard")
	case r.Local && r.RxStatus == llr.RxOff:
		l.add(Broken, "uelink llr local enable "+p.Name, "LLR is off for received frames")
	}
	if r.Stalled != "" && r.PartnerProblem == "" { // else the partner's problem is the cause
		l.add(Broken, "uelink watch frames "+p.Name, r.Stalled)
		l.named("stalled")
	}
	l.replayTimer(p)
	if r.PartnerBusy {
		l.add(Warning, "", "the partner takes no frames now, because no frames leave by its edge")
	}
	if r.PartnerAway {
		l.add(Warning, "", "the partner restarts: frames for the partner wait at this end")
	}
}

// hippi adds the problems of a link port that speaks HIPPI-6400-PH and whose interface is up: a partner problem, no
// signal, a shut-down link, or a reset that still runs. Each has the command to type next.
func (l *problems) hippi(p api.Port) {
	switch h := p.HIPPI; {
	case h.PartnerProblem != "":
		l.add(Broken, p.PartnerProblemCommand, h.PartnerProblem)
		l.named("partner " + p.PartnerProblemReason)
	case !h.Activity:
		l.add(Broken, "", "no signal yet: the partner sends nothing")
	case h.LinkState == hippi.Shutdown.String():
		l.add(Broken, "uelink hippi reset "+p.Name,
			"the link is shut down, and discards its frames: see uelink hippi events")
	case !h.Ready:
		l.add(Warning, "uelink hippi interface "+p.Name, "a Link Reset or Initialize runs: frames wait")
	}
}
