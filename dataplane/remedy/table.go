package remedy

import "uelink/dataplane/partner"

// end is the end of a link that acts against a problem: it alone has a command.
type end uint8

// The ends, from the view of the end with the problem.
const (
	nobody   end = iota // the cause is on the way, or not known
	thisEnd             // the end with the problem
	otherEnd            // its partner
	either              // one of the ends: Finding.Acts and Finding.Awaits say which
)

// row has the texts of a problem, and the command against it. Words in braces stand for facts of the case: see words.
type row struct {
	acts    end
	text    string // at the end with the problem
	other   string // with acts: either, at the end that waits; empty: the same as text
	awaited string // the setting for which the waiting end waits
	alike   string // with acts: either, the setting that must be alike, if it is not known which end acts
	command string // at the end that acts
}

// table has a row for each problem between the two ends of a link.
//
//	problem of this end          the partner sees          acts
//	EtherType, DataEtherType     the same                  the end with the lower start id
//	Dialect, SameAddress         the same                  the end with the lower start id
//	FCS                          the same                  the end without an FCS image
//	OtherProtocol                the same                  the end with hippi6400
//	NoLLRThere                   NoLLRHere                 the end that does not accept LLR
//	Largest                      TooShort                  the end that accepts only shorter frames
//	SendsHosts                   HostsHere                 the end that is not addressed
//	NoAddressed                  nothing: it is too old    the partner, by a newer version
//	NoData                       NoDataHere                nobody: the cause is on the way, or in an interface
//	Credits                      CreditsHere               the end that does not grant; lower start id for sizes
//	Replay                       ReplayHere                the end that goes back N
//	VCs                          VCsHere                   the end with fewer virtual channels
//	WireLimit                    Reported                  nobody: the cause is on the way
//	Silent                       Unheard, if it hears      nobody: see silence
//	Loop, Tagged                 nothing                   nobody: the cause is on the way
var table = [...]row{
	partner.EtherType: {acts: either, alike: "ethertypes",
		text:    "partner sends under EtherType {control}, this port expects data {own_data} and control {own_control}",
		awaited: "ethertypes: {data: {own_data}, control: {own_control}}", command: "{set ethertypes}"},
	partner.Loop: {text: "control frames of this port come back to it (rx_looped) and are ignored: is there " +
		"a loop on the way, or a bridge port in hairpin mode?"},
	partner.Tagged: {text: "control frames come with a VLAN tag, and a link takes none: have the switch send the VLAN " +
		"untagged to this port"},
	partner.Silent: {text: "partner is silent: {silence}"},
	partner.Dialect: {acts: either, alike: "dialect", text: "partner speaks dialect {dialect}, this port {own_dialect}",
		awaited: "dialect: {own_dialect}", command: "{set dialect {dialect}}"},
	partner.DataEtherType: {acts: either, alike: "ethertypes",
		text:    "partner sends data under EtherType {data}, this port under {own_data}",
		awaited: "ethertypes.data: {own_data}", command: "{set ethertypes}"},
	partner.FCS: {acts: either, alike: "fcs",
		text:  "this port sends no FCS image and the partner demands one",
		other: "partner sends no FCS image and this port demands one", awaited: "fcs: true", command: "{set fcs true}"},
	partner.NoLLRThere: {acts: otherEnd, text: "partner does not accept LLR from this port", awaited: "llr.local: true"},
	partner.NoLLRHere: {acts: thisEnd, text: "partner asks for LLR and this port does not accept it",
		command: "{accept llr}"},
	partner.Largest: {acts: otherEnd,
		text:    "partner takes link frames of up to {carries} octets, this port may have to send {octets}",
		awaited: "an MTU larger by {more}"},
	partner.WireLimit: {text: "the wire carries link frames of up to {carries} octets, this port may have to send " +
		"{octets}: raise the MTU of what is on the way by {more}, or lower the MTU of {narrow}"},
	partner.NoData: {text: "partner hears control frames of this port but no data frame: do its interface and all " +
		"devices on the way accept frames with other addresses?"},
	partner.NoAddressed: {acts: otherEnd, text: "partner accepts no frames with encapsulation: addressed, so this " +
		"port sends with encapsulation: transparent", awaited: "a newer uelink"},
	partner.SendsHosts: {acts: otherEnd,
		text:    "partner sends frames with the addresses of hosts: this port receives them in promiscuous mode",
		awaited: "encapsulation: addressed"},
	partner.OtherProtocol: {acts: either, alike: "protocol", text: "partner speaks protocol llr, this port hippi6400",
		other: "partner speaks protocol hippi6400, this port llr", awaited: "protocol: llr", command: "{set protocol llr}"},
	partner.TooShort: {acts: thisEnd,
		text:    "partner may have to send link frames of {octets} octets, this port takes up to {carries}",
		command: "{raise mtu}"},
	partner.NoDataHere: {text: "control frames of the partner arrive, and its data frames do not: do {interface} and " +
		"all devices on the way accept frames with other addresses?"},
	partner.Unheard: {text: "partner receives nothing from this port, which receives from the partner: does the wire " +
		"carry frames in one direction only, or has the partner the address of another station in its key partner?"},
	partner.HostsHere: {acts: thisEnd, text: "partner sends frames with addresses of the link, this port with those of " +
		"hosts",
		command: "{set encapsulation addressed}"},
	partner.Reported: {text: "partner reports a trouble that this port does not see: {trouble}"},
	partner.SameAddress: {acts: either, alike: "another address", text: "both ends of the link have the address {partner}",
		awaited: "another address", command: "ip link set dev {interface} address {address}"},
	partner.Credits: {acts: otherEnd, text: "a virtual channel that is lossless at this port gets no credits from the " +
		"partner", awaited: "cbfc"},
	partner.CreditsHere: {acts: either, alike: "cbfc", text: "partner lacks credits of this port: {credits}",
		awaited: "cbfc.credit_size: {own_size}, packet_overhead: {own_overhead}", command: "{grant credits}"},
	partner.Replay: {acts: otherEnd, text: "partner uses go-back-N, and this port wants selective " +
		"replay", awaited: "replay: selective"},
	partner.ReplayHere: {acts: thisEnd, text: "partner wants selective replay, and this port uses go-back-N",
		command: "{keep frames}"},
	partner.VCs: {acts: otherEnd, text: "partner has {vcs} virtual channels, and this port {own_vcs}: frames of the " +
		"other channels leave on VC 0", awaited: "vcs: {own_vcs}"},
	partner.VCsHere: {acts: thisEnd, text: "partner has {vcs} virtual channels, and this port {own_vcs}: the partner " +
		"sends frames of the other channels on VC 0", command: "{set vcs}"},
}
