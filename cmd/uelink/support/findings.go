package support

import (
	"fmt"
	"slices"
	"strings"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/lldp/dcbx"
	"uelink/llr"
)

// findingsMax keeps the findings within the first twenty lines of a report.
const findingsMax = 14

// Findings returns likely causes of a problem in words, the likeliest first, and at most findingsMax of them.
func (r *Report) Findings() []string {
	list := r.allFindings()
	switch {
	case len(list) == 0:
		return []string{"nothing: the ports are up, their partners are heard, and no error was reported"}
	case len(list) > findingsMax:
		more := fmt.Sprintf("and %d more: see the parts below", len(list)-findingsMax+1)
		list = append(list[:findingsMax-1], more)
	}
	return list
}

// allFindings returns the problems, the likeliest cause first, that the report shows: in the data of the daemon itself,
// of ports, LLDP agents and DCBX, and in the events.
func (r *Report) allFindings() (list []string) {
	if r.Uelinkd == nil {
		list = append(list, r.Missing...)
	}
	for _, problem := range r.wrong {
		list = append(list, "configuration: "+problem)
	}
	if r.Uelinkd != nil {
		for _, u := range r.Uelinkd.Unmet {
			list = append(list, u.Problem)
		}
		list = append(list, r.Uelinkd.Troubles...)
	}
	for _, p := range r.Ports {
		list = append(list, r.aboutPort(p)...)
	}
	for _, i := range r.LLDP {
		list = append(list, aboutLLDP(i)...)
	}
	for _, d := range r.DCBX {
		list = append(list, aboutDCBX(d)...)
	}
	return append(list, r.errors()...)
}

// portAt returns the text for a port in a finding: its name, and its interface if that has another name.
func portAt(port, iface string) string {
	if port == iface {
		return "port " + port
	}
	return fmt.Sprintf("port %s (%s)", port, iface)
}

// aboutPort returns the problems of a port in words.
func (r *Report) aboutPort(p api.Port) (list []string) {
	add := func(format string, args ...any) {
		list = append(list, portAt(p.Name, p.Interface)+": "+fmt.Sprintf(format, args...))
	}
	if p.OperStatus != api.OperUp {
		add("the interface is %s", p.OperStatus)
	}
	for _, reason := range []string{p.Fault, p.ErrorText} {
		if reason != "" {
			add("%s", reason)
		}
	}
	if p.Notice != "" {
		add("noticed at %s", p.Notice)
	}
	if p.StandsStill {
		add("the port stands still: its host takes no frames")
	}
	for _, reason := range r.aboutInterface(p) {
		add("%s", reason)
	}
	for _, l := range r.Links {
		if l.Port == p.Name && failing(l) {
			add("LLR is %s, %s: %s", l.TxStatus, l.RxStatus, l.Note)
		}
	}
	return list
}

// failing reports whether LLR of a link is in another state than configured, or has a problem with its partner.
func failing(l api.LLRInterface) bool {
	sends := l.TxStatus == llr.TxAdvance || l.TxStatus == llr.TxReplay
	return l.PartnerProblem != "" || l.FlushReason != "" || l.Stalled != "" || l.PartnerBusy || l.PartnerAway ||
		l.Remote && !sends || l.Local && l.RxStatus == llr.RxOff
}

// aboutInterface returns, in words, differences between the state of an interface in the kernel and what its port
// needs.
func (r *Report) aboutInterface(p api.Port) (list []string) {
	i := slices.IndexFunc(r.Interfaces, func(f interfaceFacts) bool { return f.Name == p.Interface })
	if i < 0 || view.IsHost(p) || p.XDPMode == "" {
		return nil
	}
	f := r.Interfaces[i]
	if f.XDPProgram == 0 {
		list = append(list, "no XDP program is attached: somebody has detached it, and frames go to the kernel: "+
			"restart uelinkd")
	}
	if f.RxQueues > p.Queues {
		list = append(list, fmt.Sprintf("the interface has %d RX queues and %d have a socket: "+
			"uelinkd does not see the frames of the others: see queues in the configuration, and ethtool -l %s",
			f.RxQueues, p.Queues, p.Interface))
	}
	return list
}

// aboutLLDP returns the findings about an LLDP agent.
func aboutLLDP(i api.LLDPInterface) (list []string) {
	for _, reason := range []string{i.Trouble, i.OtherAgent} {
		if reason != "" {
			list = append(list, portAt(i.Port, i.Interface)+": LLDP: "+reason)
		}
	}
	if i.Loop {
		list = append(list, portAt(i.Port, i.Interface)+
			": LLDP: frames with its own chassis id and port id arrive: a loop?")
	}
	return list
}

// aboutDCBX returns the findings about a DCBX exchange. A feature that is off gives no finding.
func aboutDCBX(d api.DCBX) (list []string) {
	add := func(feature string, reason dcbx.Reason) {
		if reason != dcbx.ReasonNone && reason != dcbx.ReasonOff {
			subject := strings.TrimSpace(portAt(d.Port, d.Interface) + ": DCBX " + feature)
			list = append(list, subject+": "+string(reason))
		}
	}
	add("", d.Note)
	switch d.Peer {
	case dcbx.PeerIEEEOnly, dcbx.PeerCEEOnly, dcbx.PeerCINOnly:
		add("", dcbx.Reason(view.PeerWords(d.Peer)))
	case dcbx.PeerUnknown, dcbx.PeerAbsent, dcbx.PeerSeveral, dcbx.PeerPresent, dcbx.PeerMalformed:
	}
	if d.IEEE.Running {
		add("ETS", d.IEEE.Oper.ETSNote)
		add("PFC", d.IEEE.Oper.PFCNote)
		return list
	}
	add("PG", d.PG.Note)
	add("PFC", d.PFC.Note)
	if d.App.Admin.Advertise {
		add("Application", d.App.Note)
	}
	return list
}

// errorsShown is the number of the latest errors in the findings.
const errorsShown = 3

// errors returns the texts of the latest events of kind error, the newest first. Equal texts are listed once.
func (r *Report) errors() (list []string) {
	for _, e := range slices.Backward(r.Events) {
		at := e.Time.Local().Format("15:04:05 -0700")
		text := fmt.Sprintf("%s: event %s of port %s: %s", at, e.Kind, view.OrDash(e.Port), e.Text)
		same := func(shown string) bool { return strings.HasSuffix(shown, e.Text) }
		if e.Kind == "error" && len(list) < errorsShown && !slices.ContainsFunc(list, same) {
			list = append(list, text)
		}
	}
	return list
}
