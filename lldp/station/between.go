package station

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
)

// between holds the wishes for DCBX of the two ends of a port, both uelinkd. Each end learns the wishes of the other by
// a TLV and computes its own verdict; the verdicts of the two ends go together.
type between struct {
	own, other ue.Wishes
	lower      bool // this end has the lower address, or the lower ids of LLDP if the addresses are the same
	apart      bool // two willing ends keep their own settings: in CEE, and in IEEE with one address for both
}

// verdict returns why the settings that one of the ends asks for are not in force at both; "" if they are, or if
// neither end asks for any. Of the two ends, one acts:
//
//	this end                       the other                    acts
//	dcbx_off_here                  no_dcbx                      this end
//	pfc_off_here                   pfc_off_there                this end
//	pfc_refused_here: it has none  pfc_outvoted: it asks        this end, whose settings hold
//	pfc_both_willing_here          pfc_both_willing_there       this end, whose settings do not hold
//	pfc_differs                    pfc_differs                  the end with the lower address
func (b *between) verdict() string {
	own, other := b.own, b.other
	switch {
	case !own.DCBX && other.DCBX:
		return causeOffHere
	case !own.DCBX || !other.DCBX: // aboutPeer finds no_dcbx, or neither end has DCBX
		return ""
	case other.Asks && !own.PFC:
		return causePFCOffHere
	case own.Asks && !other.PFC:
		return causePFCOffThere
	case !own.PFC || !other.PFC || own.Priorities == other.Priorities:
		return ""
	case own.Willing && other.Willing:
		return b.bothWilling()
	case !other.Willing && own.Priorities != 0 && other.Priorities == 0:
		return causeOutvoted
	case !own.Willing && own.Priorities == 0 && other.Priorities != 0:
		return causeRefused
	case !own.Willing && !other.Willing:
		return causeDiffers
	}
	return ""
}

// bothWilling returns the verdict on two willing ends with different priorities. In IEEE the end with the higher
// address decides, which is a problem only if that end has no priority. In CEE nobody decides, and no priority is in
// force. The end with priorities acts; of two such ends, the end with the lower address.
func (b *between) bothWilling() string {
	noneHere, noneThere := b.own.Priorities == 0, b.other.Priorities == 0
	switch {
	case noneHere && (b.apart || !b.lower), !noneHere && !noneThere && b.apart && !b.lower:
		return causeWillingThere
	case noneThere && (b.apart || b.lower), !noneHere && !noneThere && b.apart:
		return causeWillingHere
	}
	return ""
}

// change returns the keys of section dcbx that must be set at this end to resolve the verdict, each followed by its
// value; none if the other end acts.
func (b *between) change() (keys []string) {
	after := *b
	set := func(key string, value any) { keys = append(keys, key, fmt.Sprint(value)) }
	switch b.verdict() {
	case causeOffHere:
		after.own.DCBX = true
		set("mode", "on")
	case causePFCOffHere:
		after.own.PFC = true
		set("pfc.enabled", true)
		set("pfc.advertise", true)
	case causeRefused:
		set("pfc.priorities", list(b.other.Priorities))
		return keys
	case causeWillingHere:
		set("pfc.willing", false)
		return keys
	case causeDiffers:
		set("pfc.willing", true)
		return keys
	default:
		return nil
	}
	// A feature that is off here may also differ in other settings: the same command changes them.
	switch after.verdict() {
	case "", causeOffHere:
	case causePFCOffHere:
		return append(keys, after.change()...)
	case causeDiffers:
		set("pfc.willing", true)
	case causeWillingHere:
		set("pfc.willing", false)
	default:
		set("pfc.priorities", list(b.other.Priorities))
	}
	return keys
}

// list returns priorities as a value of the configuration, quoted for a shell.
func list(priorities uint8) string {
	if priorities == 0 {
		return "'[]'"
	}
	return "'[" + flow(priorities) + "]'"
}

// text returns cause, the verdict, in words.
func (b *between) text(cause string) string {
	own, other := flow(b.own.Priorities), flow(b.other.Priorities)
	nobody := "the end with the higher address, which decides, has no priority with PFC"
	if b.apart {
		nobody = "neither end takes the other end's settings"
	}
	switch cause {
	case causeOffHere:
		return "the neighbour speaks DCBX, and DCBX is off here (dcbx.mode)"
	case causePFCOffHere:
		return "the neighbour asks for PFC, which this port does not negotiate (dcbx.pfc)"
	case causePFCOffThere:
		return "the neighbour does not negotiate PFC"
	case causeRefused:
		return "the neighbour asks for PFC of priorities " + other + ", and this end, which decides, has no priority with PFC"
	case causeOutvoted:
		return "PFC is asked for here, and the neighbour, which decides, has no priority with PFC"
	case causeWillingHere, causeWillingThere:
		return "no priority has PFC (configured are " + own + " here and " + other + " at the neighbour), because both " +
			"ends are willing, and " + nobody
	}
	return fmt.Sprintf("PFC has priorities %s here and %s at the neighbour, and neither end is willing: frames can be "+
		"lost", own, other)
}

// between returns the wishes of both ends of the port, and compares their addresses; ok is false unless the only
// neighbour is another uelinkd. While DCBX is off here, the neighbour's dialect counts as the dialect of both.
func (p *port) between() (b between, ok bool) {
	if p.announcer == nil || p.exchange.last == nil {
		return b, false
	}
	b.own = p.announcer.Own()
	b.other, ok = p.announcer.FindWishes(p.exchange.last.Org)
	cee := p.exchange.choice.CEE()
	if h := p.exchange.choice.Heard(); !b.own.DCBX {
		cee = h.CEE && !h.IEEE
	}
	order := bytes.Compare(p.link.MAC[:], p.exchange.source[:])
	b.apart = cee || order == 0
	if order == 0 && len(p.agents) > 0 {
		own, other := p.agents[0].Local(), p.exchange.last
		order = cmp.Or(bytes.Compare(own.Chassis.ID, other.Chassis.ID), bytes.Compare(own.Port.ID, other.Port.ID))
	}
	b.lower = order < 0
	return b, ok
}

// finding returns the finding of the verdict, with the command to type if this end acts; ok is false without a verdict.
func (p *port) finding(b *between) (f agent.Finding, ok bool) {
	cause := b.verdict()
	if cause == "" {
		return f, false
	}
	var command strings.Builder
	for keys := b.change(); len(keys) > 0; keys = keys[2:] {
		if local := p.config.DCBX; local != nil && (keys[0] == "pfc.enabled" && local.PFC.Enable ||
			keys[0] == "pfc.advertise" && local.PFC.Advertise) {
			continue // the configuration file has this value already
		}
		fmt.Fprintf(&command, "uelink config set ports.%s.dcbx.%s %s && ", p.config.Name, keys[0], keys[1])
	}
	if command.Len() > 0 {
		command.WriteString("uelink reload")
	}
	return agent.Finding{Cause: cause, Text: b.text(cause), Command: command.String()}, true
}

// aboutGroups returns a finding if one end asks for priority groups in the dialect of CEE and the other end, which must
// act, does not negotiate its groups. ok is false if there is no finding.
func (p *port) aboutGroups(s dcbx.Snapshot) (f agent.Finding, ok bool) {
	own, peer := s.PG.Admin, s.PG.Peer
	takesPart := own.Enable && own.Advertise
	switch {
	case !takesPart && peer.Enable && peer.Config.Asked():
		f = agent.Finding{Cause: causeGroupsHere,
			Text: "the neighbour asks for priority groups, which this port does not negotiate (dcbx.pg)"}
		for _, key := range []string{"enabled", "advertise"} {
			if off := !own.Enable && key == "enabled" || !own.Advertise && key == "advertise"; off {
				f.Command += fmt.Sprintf("uelink config set ports.%s.dcbx.pg.%s true && ", p.config.Name, key)
			}
		}
		f.Command += "uelink reload"
		return f, true
	case takesPart && own.Config.Asked() && (s.PG.Note == dcbx.ReasonPeerDisabled || s.PG.Note == dcbx.ReasonAbsent):
		return agent.Finding{Cause: causeGroupsThere,
			Text: "the neighbour does not negotiate priority groups"}, true
	}
	return f, false
}

// exchanges reports whether DCBX runs in the dialect of s and the peer sends its TLVs. If not, the settings of PFC are
// not the cause of a difference.
func exchanges(s dcbx.Snapshot) bool { return s.Running && s.Peer == dcbx.PeerPresent }
