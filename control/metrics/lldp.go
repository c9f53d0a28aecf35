package metrics

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"uelink/control/api"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/station"
	"uelink/lldp/ue"
)

// LLDP is the part of station.Agents that metrics are made of. Neighbours are counted and not named: anybody who can
// send a frame could make time series.
type LLDP interface {
	Interfaces() []agent.Interface
	Statistics() []agent.Statistics
	DCBX() []agent.DCBX
}

// collectLLDP sends the state of the agents, of DCBX and of the UE negotiation:
//
//	uelink_lldp_…{port,interface,destination}
//	uelink_dcbx_…{port,interface} and uelink_dcbx_feature_…{port,interface,feature}
func collectLLDP(from LLDP, to chan<- prometheus.Metric) {
	for _, state := range from.Interfaces() {
		i := api.NewLLDPInterface(state)
		(&sender{to, []string{"port", i.Port, "interface", i.Interface, "destination", i.Destination}}).agent(i)
	}
	for _, counters := range from.Statistics() {
		s := api.NewLLDPStatistics(counters)
		(&sender{to, []string{"port", s.Port, "interface", s.Interface, "destination", s.Destination}}).statistics(s)
	}
	for _, exchange := range from.DCBX() {
		d := api.NewDCBX(exchange)
		(&sender{to, []string{"port", d.Port, "interface", d.Interface}}).exchange(d)
	}
}

// nearestBridge is the name of the destination whose agent has DCBX.
const nearestBridge = "nearest-bridge"

// agent sends the state of an LLDP agent, the DCBX problems of the agent that has DCBX, and the UE agreement if the
// agent sends UE TLVs.
func (s *sender) agent(i api.LLDPInterface) {
	s.state("uelink_lldp_status", "State of the interface of an LLDP agent.", i.Status,
		[]string{"up", "down", "absent"})
	s.gauge("uelink_lldp_info", "Settings of an LLDP agent, as labels.", 1, "mode", i.Mode)
	s.gauge("uelink_lldp_neighbors", "Neighbours that an LLDP agent knows.", float64(i.Neighbors))
	s.gauge("uelink_lldp_too_many_neighbors", "1: neighbours were dropped for lack of room, not long ago.",
		number(i.TooManyNeighbors))
	s.gauge("uelink_lldp_loop", "1: the agent hears frames with its own chassis id and port id.", number(i.Loop))
	s.gauge("uelink_lldp_other_agent", "1: another LLDP agent of this host speaks on the interface.",
		number(i.OtherAgent != ""))
	s.gauge("uelink_lldp_trouble", "1: the interface cannot be used.", number(i.Trouble != ""))
	for _, cause := range station.Causes() {
		present := slices.ContainsFunc(i.DCBX, func(f agent.Finding) bool { return f.Cause == cause && !f.Note })
		if i.Destination == nearestBridge {
			s.gauge("uelink_dcbx_problem", "1: DCBX has this problem with its peer.", number(present), "cause", cause)
		}
	}
	if !i.UE.Own.Speaks() {
		return
	}
	s.state("uelink_lldp_ue_partner", "What is known of the UE partner.", i.UE.Partner.String(), partnerStates())
	s.gauge("uelink_lldp_ue_llr", "1: both ends can do LLR.", number(i.UE.LLR.Local))
	s.gauge("uelink_lldp_ue_cbfc", "1: both ends can do CBFC.", number(i.UE.CBFC.On))
}

func partnerStates() (all []string) {
	for s := ue.PartnerNone; s <= ue.PartnerAmbiguous; s++ {
		all = append(all, s.String())
	}
	return all
}

// statistics sends every counter of an LLDP agent as a metric, counters that are added later included.
func (s *sender) statistics(counters api.LLDPStatistics) {
	for _, f := range api.Fields(counters) {
		name, help := lldpCounterName(f), f.Help
		switch v := f.Value.(type) {
		case uint64:
			s.counter(name, help, v)
		case map[string]uint64:
			for reason, n := range v {
				s.counter(name, help, n, "reason", reason)
			}
		}
	}
}

// lldpCounterName returns the Prometheus name of an LLDP counter: of section tx_statistics, total_frames it is
// uelink_lldp_tx_frames_total.
func lldpCounterName(f api.Field) string {
	owner, _ := strings.CutSuffix(f.Section, "_statistics")
	key := strings.TrimPrefix(strings.TrimPrefix(f.Key, "total_"), owner+"_")
	if owner != "" {
		key = owner + "_" + key
	}
	return "uelink_lldp_" + key + "_total"
}

// exchange sends the state of DCBX on a port, and of each of its features.
func (s *sender) exchange(d api.DCBX) {
	s.gauge("uelink_dcbx_running", "1: DCBX runs on the port.", number(d.Running))
	s.state("uelink_dcbx_peer", "What is known of the DCBX peer.", string(d.Peer),
		[]string{string(dcbx.PeerUnknown), string(dcbx.PeerAbsent), string(dcbx.PeerSeveral), string(dcbx.PeerPresent),
			string(dcbx.PeerMalformed), string(dcbx.PeerIEEEOnly), string(dcbx.PeerCEEOnly), string(dcbx.PeerCINOnly)})
	s.state("uelink_dcbx_dialect", "Dialect of DCBX that the port speaks.", d.Dialect, []string{"ieee", "cee"})
	s.gauge("uelink_dcbx_seq_no", "SeqNo that the port sends.", float64(d.Control.Local.SeqNo))
	s.gauge("uelink_dcbx_rcvd_ack_no", "SeqNo that the peer has acknowledged.", float64(d.Control.RcvdAckNo))
	for _, f := range api.Fields(d.Counters) {
		if v, ok := f.Value.(uint64); ok {
			s.counter("uelink_dcbx_"+f.Key+"_total", f.Help, v)
		}
	}
	s.ieee(d.IEEE)
	feature(s, "pg", d.PG.Oper)
	feature(s, "pfc", d.PFC.Oper)
	feature(s, "app", d.App.Oper)
}

// ieee sends the outcome and the counters of IEEE DCBX.
func (s *sender) ieee(q ieee.Snapshot) {
	s.gauge("uelink_dcbx_ieee_running", "1: IEEE 802.1Qaz is the dialect that the port speaks, and it runs.",
		number(q.Running))
	s.gauge("uelink_dcbx_ieee_pfc_agreed", "1: the peer advertises PFC for the same priorities as this end.",
		number(q.Running && q.Oper.PFCAgreed))
	s.gauge("uelink_dcbx_ieee_ets_adopted", "1: the traffic classes are those that the peer recommends.",
		number(q.Oper.ETSAdopted))
	for _, f := range api.Fields(q.Counters) {
		if v, ok := f.Value.(uint64); ok {
			s.counter("uelink_dcbx_ieee_"+f.Key+"_total", f.Help, v)
		}
	}
}

func feature[C any](s *sender, name string, o dcbx.FeatureOper[C]) {
	s.gauge("uelink_dcbx_feature_oper_mode", "1: the feature is operational.", number(o.OperMode), "feature", name)
	s.gauge("uelink_dcbx_feature_error", "1: the feature's Error flag is set.", number(o.Error), "feature", name)
	s.gauge("uelink_dcbx_feature_syncd", "1: the peer has acknowledged what was sent of the feature.",
		number(o.Syncd), "feature", name)
}
