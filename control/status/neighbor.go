package status

import (
	"fmt"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/dataplane/remedy"
)

// neighbor is a port, its LLDP agent, and what is known of both ends of the wire if the agent has exactly one
// neighbour.
type neighbor struct {
	port  api.Port
	agent api.LLDPInterface
	ends  remedy.Neighbor // addresses and ids of both ends
	// the only neighbour is a uelinkd: it sends the TLV ue.Wishes under the OUI of this station
	uelinkd bool
}

// lldpProblems returns the problems of the LLDP agents of a port, and those that the neighbours at the port show.
func lldpProblems(p api.Port, agents []api.LLDPInterface, neighbors []api.LLDPNeighbor) (list problems) {
	for _, i := range agents {
		if i.Port != p.Name {
			continue
		}
		at := slices.DeleteFunc(slices.Clone(neighbors), func(n api.LLDPNeighbor) bool {
			return n.Port != p.Name || n.Destination != i.Destination
		})
		n := neighbor{port: p, agent: i, ends: remedy.Neighbor{Own: p.MAC}}
		if len(at) == 1 {
			n.ends.Address, n.ends.OwnID, n.ends.ID = at[0].Source, ids(i.LLDPDescription), ids(at[0].LLDPDescription)
			n.uelinkd = at[0].UE.HasWishes
			n.ends.Partner = n.uelinkd || at[0].Source != "" && at[0].Source == partnerOf(p)
		}
		list.dcbx(&n)
		list.offers(&n)
		list.credits(&n)
		list.agent(&n)
		for _, other := range at {
			if other.Chassis != i.Chassis {
				list.sameAddress(i, other)
			}
		}
	}
	return list
}

// ids returns the chassis id and the port id of a station as text to compare.
func ids(d api.LLDPDescription) string {
	return d.Chassis.Type + d.Chassis.Value + " " + d.PortID.Type + d.PortID.Value
}

// partnerOf returns the address of a link's partner with a known start id; "" without one.
func partnerOf(p api.Port) string {
	switch {
	case p.LLR != nil && p.LLR.PartnerKnown:
		return p.LLR.PartnerMAC.String()
	case p.HIPPI != nil:
		return p.HIPPI.PartnerMAC.String()
	}
	return ""
}

// addNeighbor adds a problem shown by LLDP; problem is its word, text the words for people. Package remedy decides by
// the two ends which of them acts: the line has the command and its place at if this end acts, or otherwise the action
// awaited from the other end.
func (l *problems) addNeighbor(n *neighbor, problem, at, command, text string) {
	acts, waits, wishes := remedy.AtNeighbor(problem, n.ends)
	if !acts {
		at, command = "", ""
	}
	line := newLine(Warning, text, command, at)
	line.wishes, line.kinds = wishes, []string{problem}
	if waits != "" {
		line.Problem += ": " + waits
	}
	*l = append(*l, line)
}

// dcbx adds the problems of the DCBX exchange.
func (l *problems) dcbx(n *neighbor) {
	for _, f := range n.agent.DCBX {
		if !f.Note {
			l.addNeighbor(n, f.Cause, f.At, f.Command, "DCBX: "+f.Text)
		}
	}
}

// offers adds the problem of LLR offered in LLDP by one end of a link, and not by the other.
func (l *problems) offers(n *neighbor) {
	p, ue := n.port, n.agent.UE
	if p.LLR == nil || p.OperStatus != api.OperUp || n.agent.Destination != "nearest-bridge" {
		return
	}
	own, theirs := ue.Own.HasLink && ue.Own.Link.LLR, ue.Advertised.HasLink && ue.Advertised.Link.LLR
	switch mode := p.LLR.Mode.String(); {
	case n.ends.Address == "" || own == theirs || mode == "static":
	case own && !n.uelinkd && !ue.Advertised.HasLink:
		l.addNeighbor(n, remedy.NoUETLVs, "", "",
			"LLDP: the neighbour sends no UE TLV with the OUI of this station: is the neighbour "+
				"no uelinkd? Or: is LLR off there (llr.mode)? Or: does the neighbour have another lldp.ue_oui?")
	case own:
		l.addNeighbor(n, remedy.NotOfferedThere, "", "", "LLDP: the neighbour does not offer LLR")
	case mode == "dynamic":
		l.addNeighbor(n, remedy.NotOfferedHere, "", setKey(p.Name, "llr.local", "true"),
			"LLDP: the partner offers LLR, and this port does not receive under LLR")
	case p.LLR.PartnerProblem == "": // LLR is off here, and STATION has not shown that already
		l.addNeighbor(n, remedy.NotOfferedHere, "", setKeys(p.Name, "llr.mode", "dynamic", "llr.local", "true",
			"llr.remote", "true"), "LLDP: the partner offers LLR, and LLR is off here")
	}
}

// credits adds the problem of CBFC offered in LLDP by one end of a link, and not by the other.
func (l *problems) credits(n *neighbor) {
	p, ue := n.port, n.agent.UE
	own, theirs := ue.Own.HasLink && ue.Own.Link.CBFC, ue.Advertised.HasLink && ue.Advertised.Link.CBFC
	switch static := p.CBFC != nil && p.CBFC.Mode == "static"; {
	case n.ends.Address == "" || own == theirs || static || p.LLR == nil || p.OperStatus != api.OperUp ||
		n.agent.Destination != "nearest-bridge":
	case own:
		l.addNeighbor(n, remedy.CreditsThere, "", "", "LLDP: the neighbour does not offer CBFC")
	default:
		l.addNeighbor(n, remedy.CreditsHere, "", creditKeys(p.Name, ue.Advertised.CBFC.LosslessList),
			"LLDP: the partner offers CBFC, and CBFC is off here")
	}
}

// creditKeys returns the commands that make channels of a port lossless by CBFC in mode dynamic.
func creditKeys(port string, channels []int) string {
	var keys []string
	for _, vc := range channels {
		keys = append(keys, fmt.Sprintf("cbfc.vcs.%d.lossless", vc), "true")
	}
	return setKeys(port, append(keys, "cbfc.mode", "dynamic")...)
}

// agent adds the problems of an LLDP agent itself: an interface that it cannot use, another agent of this host, frames
// of its own that come back, and too many neighbours.
func (l *problems) agent(n *neighbor) {
	i, command := n.agent, "uelink lldp neighbors "+n.port.Name
	for _, problem := range []string{i.Trouble, i.OtherAgent} {
		if problem != "" {
			l.add(Warning, command, "LLDP: "+problem)
		}
	}
	if i.Loop {
		l.addNeighbor(n, remedy.Loop, "", "",
			"LLDP: frames with the chassis id and port id of this port come back to it: "+
				"is there a loop on the way, or a bridge port in hairpin mode? Or: has another station the same "+
				"lldp.chassis_id?")
	}
	if i.TooManyNeighbors {
		l.addNeighbor(n, remedy.Crowd, "", "",
			"LLDP: there are more neighbours than the port keeps: does a bridge on the "+
				"way forward LLDP, or does a station invent neighbours?")
	}
}

// sameAddress adds the problem of an IP address announced by LLDP as the management address of both this host and its
// neighbour.
func (l *problems) sameAddress(own api.LLDPInterface, n api.LLDPNeighbor) {
	for _, a := range own.Management {
		ip := a.Kind == "ipv4" || a.Kind == "ipv6"
		if ip && slices.ContainsFunc(n.Management, func(b api.LLDPManagement) bool { return b.Address == a.Address }) {
			l.add(Warning, "ip address show to "+a.Address,
				"LLDP: the neighbour has the address "+a.Address+" of this host, "+
					"too: give one of the two another address")
		}
	}
}

// merge returns the problems of a port without those that are the cause of a setting that is wanted and not in force.
// It writes such a cause into the lines of these settings, unmet. Of several causes of a setting, the first remains,
// which is the likeliest.
func (l problems) merge(unmet []*Line) problems {
	return slices.DeleteFunc(l, func(cause Line) (moved bool) {
		for _, u := range unmet {
			if u.wishes == "" || !slices.Contains(strings.Fields(cause.wishes), u.wishes) {
				continue
			}
			wish, _, _ := strings.Cut(u.Problem, ": ")
			_, because, _ := strings.Cut(cause.Problem, ": ") // without the prefix "DCBX: " or "LLDP: "
			u.Problem, u.Type, u.At = wish+": "+because, cause.Type, cause.At
			u.wishes, moved = "", true
		}
		return moved
	})
}
