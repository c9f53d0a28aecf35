package remedy

import (
	"strings"

	"uelink/dataplane/partner"
	"uelink/wire"
)

// Silence is the observations of an end that hears no partner.
type Silence struct {
	HIPPI   bool     // the link speaks HIPPI-6400-PH
	Own     wire.MAC // of this port
	Pinned  wire.MAC // the key partner; zero: auto
	Other   wire.MAC // last other station with control frames that arrived; zero: none
	To      wire.MAC // destination of the last control frame for another port; zero: none
	LLDP    bool     // LLDP of a uelink link has arrived, and has not expired: that takes minutes
	Network string   // name of the interface's network, by its driver, if that carries only IP; empty: not known
	// Addressed: control frames leave to the partner or to a group that bridges forward
	Addressed bool
}

// firewall is a cause that an end cannot tell from others: frames of other kinds may cross.
const firewall = "does a firewall on the way drop the link's EtherTypes, or a network that carries only IP?"

// causes returns the likely causes of a partner's silence, the likeliest first.
func (s *Silence) causes(f partner.Finding) string {
	var all []string
	add := func(text string) { all = append(all, text) }
	switch {
	case s.Pinned != wire.MAC{} && s.Pinned == s.Own:
		add("the address in partner, " + address(s.Pinned) + ", is the address of this port itself: set partner to the " +
			"address of the other end")
	case s.To != wire.MAC{} && s.To == s.Other:
		add("frames come from " + address(s.Other) + " and are for the same address: does partner at the other end " +
			"contain the address of that end itself?")
	case s.Other != wire.MAC{} && s.Pinned != wire.MAC{}:
		add("this port listens to " + address(s.Pinned) + " alone (partner), and frames come from " + address(s.Other) +
			" (rx_other_station): is the address in partner wrong?")
	case s.To != wire.MAC{}:
		add("frames come from " + address(s.Other) + " and are for " + address(s.To) +
			", not for this port (rx_other_station): is the address in partner wrong at the other end?")
	case f.Heard:
		add(s.running() + ", and not suspended (SIGSTOP)?")
		if f.Native {
			add("is a host without uelink, or an edge port, at the other end now, as frames without a shim arrive?")
		} else {
			add("is the wire cut on the way?")
		}
	case s.LLDP:
		add("LLDP of uelinkd has arrived, so the wire carries frames: has the other end another protocol or other " +
			"ethertypes, is its LLR off, or was its uelinkd stopped since?")
		add(firewall)
	case f.Native:
		add("plain Ethernet frames arrive and none of a link: is an edge port, or a host without uelink, at the other end?")
		if !s.Addressed {
			add("does a bridge or switch on the way drop frames to 01-80-c2-00-00-0e? With encapsulation: addressed at both " +
				"ends no frame goes to that address.")
		}
		add(s.running() + "?")
		add(firewall)
	default:
		add(s.running() + "?")
		if s.Network != "" {
			add("is this interface in the network of " + s.Network + ", which carries only IP?")
		}
		add("is the other end an edge port?")
		if !s.Addressed {
			add("does a bridge or switch on the way drop frames to 01-80-c2-00-00-0e?")
		}
		add(firewall)
	}
	text := strings.Join(all, " Or: ")
	if f.Lost {
		text += " Frames are still sent to the partner, with the shim and without LLR: does the wire carry frames in one " +
			"direction only?"
	}
	return text
}

// running returns the question whether the daemon runs at the other end.
func (s *Silence) running() string {
	if s.HIPPI {
		return "is uelinkd running at the other end with protocol: hippi6400"
	}
	return "is uelinkd running at the other end with LLR on"
}
