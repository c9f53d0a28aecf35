package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"uelink/control/api"
	"uelink/control/status"
)

// headView is the head of the page.
type headView struct {
	Station, Summary, Title string
	At                      time.Time
}

// portView is a port on the page.
type portView struct {
	*api.Port
	State   string        // the worst of Lines
	Lines   []status.Line // of the port
	Facts   string
	DCBX    string   // the exchange in words; "": none
	Picture *picture // nil: no link
	Curves  []curveView
}

// parts returns the page in parts, made of a look and the curves of the ports in h: the head, the status, a part for
// each port, the events and the neighbours.
func (p painter) parts(l *look, h *history) []part {
	lines := status.Judge(l.ports, l.agents, l.neighbors, l.unmet, l.troubles...)
	l.onsets.Mark(lines, l.at)
	list := []part{
		{id: "head", html: p.paint("head", headOf(l, lines))},
		{id: "status", html: p.paint("status", lines)},
	}
	for i := range l.ports {
		v := viewOf(l, &l.ports[i], lines)
		v.Curves = curvesOf(v.Port, h.tracks[v.Name])
		list = append(list, part{id: "port-" + v.Name, html: p.paint("port", v)})
	}
	return append(list, part{id: "events", html: p.paint("events", l.events)},
		part{id: "neighbors", html: p.paint("neighbors", l.neighbors)})
}

// headOf returns the head of the page: how many ports have a problem, and whether the daemon itself has one. The number
// of both together stands in front of the page's title.
func headOf(l *look, lines []status.Line) headView {
	ports := map[string]bool{}
	for _, s := range lines {
		if s.Is > status.Fine && !s.OfDaemon() {
			ports[s.Port] = true
		}
	}
	n := len(ports)
	v := headView{Station: l.station, At: l.at, Title: "uelink on " + l.station}
	switch {
	case len(l.ports) == 0:
		v.Summary = "No ports are configured."
	case n == 0:
		v.Summary = fmt.Sprintf("All well: %s without a problem.", plural(len(l.ports), "port"))
	default:
		v.Summary = fmt.Sprintf("%d of %s with a problem.", n, plural(len(l.ports), "port"))
	}
	if len(l.troubles) > 0 || slices.ContainsFunc(l.unmet, func(u api.Unmet) bool { return u.Port == "" }) {
		v.Summary += " The daemon itself has a problem."
		n++
	}
	if n > 0 {
		v.Title = fmt.Sprintf("(%d) %s", n, v.Title)
	}
	return v
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// viewOf returns a port of a look as the page shows it, without its curves.
func viewOf(l *look, p *api.Port, lines []status.Line) portView {
	v := portView{Port: p, State: status.Fine.String(), Facts: factsOf(p), DCBX: exchangeOf(l, p.Name)}
	for _, s := range lines {
		if s.Port == p.Name {
			v.Lines = append(v.Lines, s)
		}
	}
	if len(v.Lines) > 0 {
		v.State = v.Lines[0].State // the worst is the first
	}
	if p.LLR != nil || p.HIPPI != nil {
		v.Picture = pictureOf(l, p)
	}
	return v
}

// factsOf returns the state of a port in words.
func factsOf(p *api.Port) string {
	facts := []string{"interface " + p.Interface, p.OperStatus}
	if p.MTU > 0 {
		facts = append(facts, fmt.Sprintf("MTU %d", p.MTU))
	}
	if p.Speed > 0 {
		facts = append(facts, fmt.Sprintf("%d Mb/s", p.Speed))
	}
	if p.XDPMode != "" {
		facts = append(facts, p.XDPMode+" XDP, "+p.BindMode)
	}
	switch {
	case p.XConnect != "":
		facts = append(facts, "tied to "+p.XConnect)
	case p.Bridge != "":
		facts = append(facts, "in bridge "+p.Bridge)
	}
	return strings.Join(facts, ", ")
}

// partnerOf returns the name by which LLDP knows the partner of a link, or its address.
func partnerOf(l *look, p *api.Port) string {
	for _, n := range l.neighbors {
		if n.Port == p.Name && n.SystemName != "" {
			return n.SystemName
		}
	}
	mac := ""
	switch {
	case p.LLR != nil && p.LLR.PartnerKnown:
		mac = p.LLR.PartnerMAC.String()
	case p.HIPPI != nil:
		mac = p.HIPPI.PartnerMAC.String()
	}
	return cmp.Or(mac, "no partner")
}
