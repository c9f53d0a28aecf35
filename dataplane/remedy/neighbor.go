package remedy

import "cmp"

// Neighbor is the two ends of a port as LLDP shows them.
type Neighbor struct {
	Own, Address string // hardware addresses of the two ends; Address is empty unless there is exactly one neighbour
	OwnID, ID    string // chassis and port ids of LLDP, which differ where the addresses do not
	// the neighbour is a uelinkd, which has the same table of neighborRows: the partner of the link, known by its start
	// id, or a station that sends the TLV of wishes
	Partner bool
}

// neighborRow is what the two ends do about a problem that LLDP shows.
type neighborRow struct {
	acts    end
	wishes  string // words of api.Unmet.What that the problem causes, with blanks between them
	awaited string // setting that the end that waits is waiting for
	alone   bool   // with a neighbour without this table, this end shows what to do at the neighbour
}

// neighbors has a row for each problem that LLDP and DCBX show, by its word: the causes of DCBX in package
// lldp/station, and the constants below. acts: either is for a problem that both ends have: the end with the lower
// address acts if both ends have this table, else this end.
//
//	problem of this end     the neighbour sees      acts
//	pfc_differs             the same                the end with the lower address: it becomes willing
//	mac_tie                 the same                the end with the lower address: it insists
//	other_dialect           the same                the end with the lower address: it speaks both dialects
//	pfc_turned_off          nothing: it has none    the neighbour, which decides
//	no_dcbx, ets_unusable   nothing                 the neighbour
//	several_agents, cin     nothing                 the neighbour
//	nic                     nothing                 this end
//	llr_not_offered_there   llr_not_offered_here    the neighbour, which does not offer LLR
//	credits_not_offered_there, _here: as of LLR
//	lldp_one_way            lldp_one_way_there      this end, whose LLDP only sends or only listens
//	dcbx_off_here           no_dcbx                 this end
//	pfc_off_here            pfc_off_there           this end, where PFC takes no part
//	pfc_refused_here        pfc_outvoted            this end, which decides and has no priority
//	pfc_both_willing_here   pfc_both_willing_there  this end, which asks in vain: it insists
//	pg_off_here             pg_off_there            this end, where priority groups take no part
//	no_ue_tlvs              the same, or nothing    nobody: the cause is not known
//	lldp_loop               nothing                 nobody: the cause is on the way
//	lldp_crowd              nothing                 nobody: the cause is on the way
var neighbors = map[string]neighborRow{
	"pfc_differs":            {acts: either, wishes: "pfc", awaited: "dcbx.pfc.willing: true"},
	"mac_tie":                {acts: either, wishes: "pfc", awaited: "dcbx.pfc.willing: false"},
	"other_dialect":          {acts: either, wishes: "dcbx", awaited: "dcbx.version: auto"},
	"pfc_turned_off":         {acts: otherEnd, wishes: "pfc", awaited: "dcbx.pfc.priorities"},
	"no_dcbx":                {acts: otherEnd, wishes: "pfc pg", awaited: "dcbx.mode: on", alone: true},
	"cin":                    {acts: otherEnd, wishes: "dcbx", awaited: "DCBX of IEEE or CEE", alone: true},
	"several_agents":         {acts: otherEnd, wishes: "pfc pg", awaited: "the neighbour to run a single LLDP agent", alone: true},
	"ets_unusable":           {acts: otherEnd, awaited: "a recommendation of ETS that can be used", alone: true},
	"nic":                    {acts: thisEnd, wishes: "dcbnl"},
	NotOfferedThere:          {acts: otherEnd, wishes: "llr", awaited: "llr.mode: dynamic, llr.local: true"},
	NotOfferedHere:           {acts: thisEnd, wishes: "llr"},
	CreditsThere:             {acts: otherEnd, wishes: "cbfc", awaited: "cbfc.mode: dynamic"},
	CreditsHere:              {acts: thisEnd, wishes: "cbfc"},
	"lldp_one_way":           {acts: thisEnd, wishes: "pfc pg"},
	"lldp_one_way_there":     {acts: otherEnd, wishes: "pfc pg", awaited: "lldp.mode: rx-tx"},
	"dcbx_off_here":          {acts: thisEnd, wishes: "pfc"},
	"pfc_off_here":           {acts: thisEnd, wishes: "pfc"},
	"pfc_off_there":          {acts: otherEnd, wishes: "pfc", awaited: "dcbx.pfc: {enabled: true, advertise: true}"},
	"pfc_refused_here":       {acts: thisEnd, wishes: "pfc"},
	"pfc_outvoted":           {acts: otherEnd, wishes: "pfc", awaited: "dcbx.pfc.priorities"},
	"pfc_both_willing_here":  {acts: thisEnd, wishes: "pfc"},
	"pfc_both_willing_there": {acts: otherEnd, wishes: "pfc", awaited: "dcbx.pfc.willing: false"},
	"pg_off_here":            {acts: thisEnd, wishes: "pg"},
	"pg_off_there":           {acts: otherEnd, wishes: "pg", awaited: "dcbx.pg: {enabled: true, advertise: true}"},
	NoUETLVs:                 {wishes: "llr"},
	Loop:                     {},
	Crowd:                    {},
}

// The problems that LLDP shows, besides the causes of DCBX.
const (
	NotOfferedThere = "llr_not_offered_there"     // this end offers LLR, and the neighbour does not
	NotOfferedHere  = "llr_not_offered_here"      // the neighbour offers LLR, and this end does not
	CreditsThere    = "credits_not_offered_there" // this end offers CBFC, and the neighbour does not
	CreditsHere     = "credits_not_offered_here"  // the neighbour offers CBFC, and this end does not
	NoUETLVs        = "no_ue_tlvs"                // this end offers LLR, and the neighbour sends no known UE TLV
	Loop            = "lldp_loop"                 // LLDP frames of this end come back
	Crowd           = "lldp_crowd"                // more neighbours than there is room for
)

// lower reports whether this end is the one that acts against a problem that both ends have: the one with the lower
// address, or with the lower ids where the addresses are equal.
func (n *Neighbor) lower() bool {
	return cmp.Or(cmp.Compare(n.Own, n.Address), cmp.Compare(n.OwnID, n.ID)) < 0
}

// AtNeighbor says which end acts against a problem that LLDP shows. command reports whether this end shows a
// command; waits says in words for which setting this end waits, "" if it does not wait; wishes are the words of
// api.Unmet.What that the problem causes, with blanks between them. Against a problem outside the table this end acts.
func AtNeighbor(problem string, n Neighbor) (command bool, waits, wishes string) {
	row, ok := neighbors[problem]
	if !ok {
		return true, "", ""
	}
	acts := row.acts == thisEnd || row.acts == either && (!n.Partner || n.lower()) ||
		row.acts == otherEnd && row.alone && !n.Partner
	if acts || row.awaited == "" {
		return acts, "", row.wishes
	}
	at := n.Address
	if at == "" {
		at = "the other end"
	}
	return false, "waiting for " + row.awaited + " at " + at, row.wishes
}
