package partner

// reasons are the words for the problems.
var reasons = [...]string{
	None: "", EtherType: "ethertype", Loop: "loop", Tagged: "vlan_tag", Silent: "silent", Dialect: "dialect",
	DataEtherType: "data_ethertype", FCS: "fcs", NoLLRThere: "llr_not_accepted_there", NoLLRHere: "llr_not_accepted_here",
	Largest: "partner_length", WireLimit: "wire_length", NoData: "no_data", NoAddressed: "no_addressed",
	SendsHosts: "host_addresses", OtherProtocol: "protocol", TooShort: "own_length", NoDataHere: "no_data_here",
	Unheard: "not_heard", HostsHere: "addressed_there", Reported: "reported", SameAddress: "same_address",
	Credits: "credits", CreditsHere: "credits_here", Replay: "replay", ReplayHere: "replay_here",
	VCs: "vcs", VCsHere: "vcs_here",
}

// Reason returns a problem with the partner as a word for programs; "" for None.
func (p Problem) Reason() string { return reasons[p] }

// Reason returns the word for a trouble of STATION, by its number; "" for a number without a problem.
func Reason(number uint8) string {
	if int(number) >= len(reasons) {
		return ""
	}
	return reasons[number]
}

// Reasons returns the words for all problems with a partner.
func Reasons() []string { return append([]string{}, reasons[EtherType:]...) }
