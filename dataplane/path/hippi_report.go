package path

import (
	"bytes"
	"fmt"
	"net"
	"strings"

	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/dataplane/remedy"
	"uelink/hippi"
	"uelink/internal/events"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// hippiReported is the state of a HIPPI-6400-PH link as last reported by events.
type hippiReported struct {
	ready    bool
	activity bool
	state    hippi.State
	problem  hippiProblem
	partner  wire.MAC
	reportedCounts
}

// reportedCounts are the counts of a link of which an event reports each increase.
type reportedCounts struct {
	shutdowns uint64
	reasons   hippiReasons
	resets    uint64 // Link Resets and Initializes begun
	lost      uint64 // Messages lost by Link Resets and Initializes
	recovered uint64 // Link Resets begun to leave a shutdown
}

// hippiReasons counts shutdowns by their reasons.
type hippiReasons struct {
	retries  hippi.Count
	credit   [hippi.VCs]hippi.Count // by virtual channel
	overflow [hippi.VCs]hippi.Count // by virtual channel
}

// hippiReasonsOf returns how often the link was shut down for each reason, from its logged events.
func hippiReasonsOf(e *hippi.Events) hippiReasons {
	return hippiReasons{retries: e.RetryFailureError, credit: e.CreditTimeoutError, overflow: e.RxVCBufferOverflow}
}

// hippiSilence is how long a link with a carrier may see no signal before that is a problem of the partner, and how
// long a frame of the other protocol counts.
const hippiSilence = partner.Silence

// hippiProblem is the reason why the two ends of a link do not work together.
type hippiProblem struct {
	kind    partner.Problem // partner.None: they do
	longest int             // of partner.WireLimit: octets of the longest frame that crosses
}

// problem returns why the two ends of the link do not work together; kind is partner.None if they do.
func (h *HIPPI) problem(now wire.Time) (p hippiProblem) {
	switch {
	case lately(h.llrAt, now):
		p.kind = partner.OtherProtocol
	case lately(h.strays.typeAt, now):
		p.kind = partner.DataEtherType
	case h.Port.iface.up && h.silentFrom != 0 && now.Sub(h.silentFrom) > hippiSilence:
		p.kind = partner.Silent
	case h.Port.iface.up && h.resetFrom != 0 && now.Sub(h.resetFrom) > hippiSilence:
		p.kind = partner.Unheard
	default:
		if n, ok := h.out.length.short(); ok {
			return hippiProblem{partner.WireLimit, micropacket.FrameLen(n, h.Port.settings.FCS)}
		}
	}
	return p
}

// lately reports whether an event last occurred less than hippiSilence ago. at is the time of its last occurrence, 0
// if there was none.
func lately(at, now wire.Time) bool { return at != 0 && now.Sub(at) <= hippiSilence }

// remedy returns the text and the command of this end against a problem with its partner. HIPPI-6400-PH has no start
// ids: where the settings of the two ends differ, the end with the lower address is to change its own.
func (h *HIPPI) remedy(p hippiProblem) remedy.Remedy {
	s, o := &h.Port.settings, &h.strays
	own := remedy.Own{Port: s.Name, Interface: s.Interface, Partner: h.partner, EtherTypeData: s.EtherTypeData,
		EtherTypeCtl: s.EtherTypeControl, Silence: remedy.Silence{HIPPI: true, Own: h.Port.iface.mac,
			Pinned: s.Partner, Addressed: true}}
	if o.stationAt != 0 {
		own.Silence.Other = o.station
	}
	f := partner.Finding{Problem: p.kind, Acts: p.kind == partner.OtherProtocol, Carries: p.longest,
		Octets: h.longestFrame(), Heard: h.partner != wire.MAC{}}
	if p.kind == partner.DataEtherType {
		own.Partner, f.Data, f.From = o.from, o.etherType, o.from
		f.Acts, f.Awaits = bytes.Compare(h.Port.iface.mac[:], o.from[:]) < 0, bytes.Compare(h.Port.iface.mac[:],
			o.from[:]) > 0
	}
	return remedy.Find(f, &own)
}

// longestFrame returns the octets of the longest frame that the interface carries.
func (h *HIPPI) longestFrame() int { return micropacket.FrameLen(h.longest(), h.Port.settings.FCS) }

// report publishes events about the changes of the link since the last report, and about received Admin micropackets:
// on average one report in reportEvery, and up to reportsAtOnce in a row. It first notes since when the partner is
// silent (silentFrom) or a Link Reset lasts (resetFrom), by which problem judges.
func (h *HIPPI) report(hub *model.Hub, now wire.Time) {
	activity := h.End.Activity()
	switch {
	case activity || !h.Port.iface.up:
		h.silentFrom = 0
	case h.silentFrom == 0:
		h.silentFrom = now
	}
	switch {
	case h.End.Ready() || !activity || h.End.State() == hippi.Shutdown:
		h.resetFrom = 0
	case h.resetFrom == 0:
		h.resetFrom = now
	}
	c := &h.End.Counters
	current := hippiReported{
		ready: h.End.Ready(), activity: activity, state: h.End.State(), partner: h.partner, reportedCounts: reportedCounts{
			shutdowns: c.Shutdowns, reasons: hippiReasonsOf(&h.End.Events), resets: c.LinkResets + c.Initializes,
			lost: c.TxLostAtReset + c.RxLostAtReset, recovered: h.count.Recoveries,
		},
	}
	current.problem = h.problem(now)
	if current.state != hippi.Shutdown { // the other states pass quickly, and have no events
		current.state = hippi.Normal
	}
	if current != h.last && now > h.reportedTo.Add(-reportsAtOnce*reportEvery) {
		h.reportedTo = max(h.reportedTo, now).Add(reportEvery)
		h.reportChange(hub, &current)
		h.last = current
	}
	if h.admin.n > 0 && now > h.reportedTo.Add(-reportsAtOnce*reportEvery) {
		h.reportedTo = max(h.reportedTo, now).Add(reportEvery)
		h.admin.report(hub, h.Port.settings.Name)
	}
}

// reportChange publishes an event for each difference between last, the reported state of the link, and current, its
// present state.
func (h *HIPPI) reportChange(hub *model.Hub, current *hippiReported) {
	last, name := &h.last, h.Port.settings.Name
	if !current.activity && last.activity {
		hub.PublishAt(events.Warning, name, model.EventHIPPI,
			"no signal: the partner sends nothing, or the carrier is gone; frames for the partner wait")
	}
	if current.shutdowns > last.shutdowns {
		hub.PublishAt(events.Error, name, model.EventHIPPI,
			"shut down: "+h.shutdownText(&current.reasons)+"; frames for the partner are discarded"+h.wayBack())
	}
	if current.recovered > last.recovered {
		hub.Publish(name, model.EventHIPPI, "the port sent a Link Reset to leave the shutdown (recover)")
	}
	if current.resets > last.resets || current.lost > last.lost {
		begun := current.resets - min(current.resets, last.resets)
		level, text := events.Info, fmt.Sprintf("%d Link Resets and Initializes have begun", begun)
		if lost := current.lost - min(current.lost, last.lost); lost > 0 {
			level = events.Error
			text += fmt.Sprintf(": %d Messages in transit were lost (tx_lost_at_reset, rx_lost_at_reset)", lost)
		}
		hub.PublishAt(level, name, model.EventHIPPI, text)
	}
	if current.ready && !last.ready {
		hub.Publish(name, model.EventHIPPI,
			"Normal: the link carries frames; partner "+net.HardwareAddr(current.partner[:]).String())
	}
	switch {
	case current.problem == last.problem:
	case current.problem.kind != partner.None:
		hub.PublishAt(events.Warning, name, model.EventPartner, h.remedy(current.problem).String())
	case last.problem.kind != partner.None:
		hub.Publish(name, model.EventPartner, noProblem)
	}
}

// shutdownText returns the reasons of the shutdowns since the last report in words. current is their count now.
func (h *HIPPI) shutdownText(current *hippiReasons) string {
	var reasons []string
	last, p := &h.last.reasons, &h.Port.settings.HIPPI.Profile
	if newer(current.retries, last.retries) {
		reasons = append(reasons, fmt.Sprintf("%d retransmissions in a row without success (retries)", p.Retries))
	}
	for vc := range hippi.VCs {
		if newer(current.credit[vc], last.credit[vc]) {
			reasons = append(reasons, fmt.Sprintf("VC%d without credit for %v (credit_timeout): "+
				"the partner's egress of this channel is stalled", vc, p.Credit))
		}
		if newer(current.overflow[vc], last.overflow[vc]) {
			reasons = append(reasons, fmt.Sprintf("the partner sent on VC%d without credit", vc))
		}
	}
	if len(reasons) == 0 {
		return "by the machine"
	}
	return strings.Join(reasons, ", ")
}

// newer reports whether a count of events has grown since the last report, from last to current, even if it was cleared
// in between.
func newer(current, last hippi.Count) bool { return current > 0 && current != last }

// wayBack returns in words, for an event, how the link's shutdown ends: by itself, or by a command.
func (h *HIPPI) wayBack() string {
	if every := h.Port.settings.HIPPI.Recover; every > 0 {
		return fmt.Sprintf(": the port sends a Link Reset every %v (recover)", every)
	}
	return ": type uelink hippi reset " + h.Port.settings.Name
}
