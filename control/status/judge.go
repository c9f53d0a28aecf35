package status

import (
	"cmp"
	"fmt"

	"uelink/control/api"
	"uelink/hippi"
	"uelink/llr"
)

// allWell returns a phrase for a port that has no problem, such as "LLR ADVANCE and ADVANCE with" and the partner's
// address.
func allWell(p api.Port) string {
	switch l := p.LLR; {
	case p.HIPPI != nil:
		return fmt.Sprintf("HIPPI-6400 %s with %s", p.HIPPI.LinkState, cmp.Or(p.HIPPI.PartnerMAC.String(), "-"))
	case l == nil:
		return p.OperStatus
	case l.TxStatus == llr.TxOff && l.RxStatus == llr.RxOff:
		return p.OperStatus + ", LLR is off"
	default:
		return fmt.Sprintf("LLR %s and %s with %s", l.TxStatus, l.RxStatus, cmp.Or(l.PartnerMAC.String(), "-"))
	}
}

// portProblems returns the problems of a port, each without the port's name. A problem that causes others comes
// first: while the interface is away, the link is not examined.
func portProblems(p api.Port) (list []Line) {
	add := func(is Severity, command, problem string) {
		list = append(list, Line{Is: is, Problem: problem, Type: command})
	}
	switch {
	case p.OperStatus == "absent":
		add(Broken, "ip -d link show", cmp.Or(p.Fault, "the interface does not exist"))
		return list
	case p.OperStatus != api.OperUp:
		add(Broken, "ip link set dev "+p.Interface+" up, here and at the other end",
			"the interface is "+p.OperStatus+", or nothing is at the other end of its wire")
		return list
	}
	if p.LLR != nil {
		list = append(list, linkProblems(p)...)
	}
	if p.HIPPI != nil {
		list = append(list, hippiProblems(p)...)
	}
	if p.StandsStill {
		add(Warning, "uelink queue counters "+p.Name, "it stands still: its host takes no frames")
	}
	if p.Fault != "" {
		add(Warning, "", p.Fault)
	}
	if p.CBFC != nil {
		for _, vc := range p.CBFC.VCs {
			if vc.Failure != "" {
				add(Warning, "uelink cbfc vc "+p.Name, fmt.Sprintf("virtual channel %d is not lossless: %s", vc.VC, vc.Failure))
			}
		}
	}
	return list
}

// linkProblems returns the LLR problems of a link port whose interface is up.
func linkProblems(p api.Port) (list []Line) {
	add := func(is Severity, command, problem string) {
		list = append(list, Line{Is: is, Problem: problem, Type: command})
	}
	l, is := p.LLR, Warning
	if !l.Established() {
		is = Broken
	}
	switch {
	case l.TxStatus == llr.TxFlush:
		add(Broken, "uelink llr reinit "+p.Name, "LLR has given up: "+cmp.Or(p.ErrorText, l.FlushReason))
	case l.PartnerProblem != "":
		add(is, "", l.PartnerProblem)
	case l.Remote && l.TxStatus == llr.TxInit:
		add(Broken, "systemctl start uelinkd, at the other end", "nobody answers: no uelinkd with LLR is heard")
	case l.Local && l.RxStatus == llr.RxOff:
		add(Broken, "uelink llr local enable "+p.Name, "LLR does not receive")
	}
	if l.Stalled != "" {
		add(Broken, "uelink watch frames "+p.Name, l.Stalled)
	}
	if l.PartnerBusy {
		add(Warning, "uelink status, at the other end", "the partner takes no frames now: its edge stands still")
	}
	if l.PartnerAway {
		add(Warning, "", "the partner starts anew: frames for it wait here")
	}
	return list
}

// hippiProblems returns the problems of a link port that speaks HIPPI-6400-PH and whose interface is up: a partner
// problem, no signal, a shut-down link, or a reset that still runs. Each has the command to type next.
func hippiProblems(p api.Port) (list []Line) {
	add := func(is Severity, command, problem string) {
		list = append(list, Line{Is: is, Problem: problem, Type: command})
	}
	switch h := p.HIPPI; {
	case h.PartnerProblem != "":
		add(Broken, "", h.PartnerProblem)
	case !h.Activity:
		add(Broken, "systemctl start uelinkd, at the other end", "no signal: the partner sends nothing")
	case h.LinkState == hippi.Shutdown.String():
		add(Broken, "uelink hippi reset "+p.Name, "the link is shut down, and discards its frames: see uelink hippi events")
	case !h.Ready:
		add(Warning, "uelink hippi interface "+p.Name, "a Link Reset or Initialize runs: frames wait")
	}
	return list
}

// lldpProblems returns the problems of the LLDP agents of a port.
func lldpProblems(port string, agents []api.LLDPInterface) (list []Line) {
	for _, i := range agents {
		for _, problem := range []string{i.Trouble, i.OtherAgent} {
			if i.Port == port && problem != "" {
				list = append(list, Line{Is: Warning, Problem: "LLDP: " + problem,
					Type: "uelink lldp neighbors " + port})
			}
		}
	}
	return list
}
