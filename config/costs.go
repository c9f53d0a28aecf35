package config

import "strings"

// Costs of changing a key by a reload, in the words of the reference: what the reload interrupts, nothing, or that the
// key waits for the next start.
const (
	costNone = "none"
	costRoom = "none, or sockets" // sockets: if a value needs more memory than the sockets have
	// loss: frames that the host sends while its queueing discipline is exchanged
	costHost      = "none, or loss of frames that the host sends"
	costSockets   = "sockets"
	costInterface = "interface"
	costLink      = "link"
	costPort      = "port"
	costLLDP      = "LLDP"
	costStart     = "next start"
)

// costs holds the cost of a key and of all keys below it, unless a key below has a cost of its own here.
var costs = map[string]string{
	"":           costNone,
	"log.format": costStart,
	"control":    costStart,
	"metrics":    costStart,
	"web":        costStart,
	"workers":    costStart,
	"spin":       costStart,
	"real_time":  costStart,
	"llr_profiles.NAME.max_outstanding_frames": costRoom,
	"llr_profiles.NAME.replay":                 costRoom,
	"cbfc_profiles":                            costRoom,
	"lldp.ue_oui":                              costLLDP,
	"ports[].name":                             costPort,
	"ports[].interface":                        costPort,
	"ports[].role":                             costPort,
	"ports[].protocol":                         costPort,
	"ports[].hippi.buffer":                     costLink,
	"ports[].create":                           costPort,
	"ports[].offloads":                         costInterface,
	"ports[].promiscuous":                      costInterface,
	"ports[].xdp":                              costInterface,
	"ports[].bind":                             costSockets,
	"ports[].tx_path":                          costSockets,
	"ports[].opener":                           costSockets,
	"ports[].queues":                           costSockets,
	"ports[].tx_queue":                         costSockets,
	"ports[].ring_size":                        costSockets,
	"ports[].rx_ring_size":                     costSockets,
	"ports[].chunk_size":                       costSockets,
	"ports[].dialect":                          costLink,
	"ports[].encapsulation":                    costLink,
	"ports[].partner":                          costLink,
	"ports[].llr.profile":                      costRoom,
	"ports[].cbfc":                             costRoom,
	"ports[].cbfc.cc_message_timer":            costNone,
	"ports[].cbfc.cf_min_spacing":              costNone,
	"ports[].cbfc.cf_max_spacing":              costNone,
	"ports[].cbfc.credit_timeout":              costNone,
	"ports[].cbfc.credit_timeout_action":       costNone,
	"ports[].cbfc.vcs[].weight":                costNone,
	"ports[].cbfc.vcs[].priority":              costNone,
	"ports[].cbfc.vcs[].queue_octets":          costNone,
	"ports[].cbfc.vcs[].llr":                   costNone,
	"ports[].pfc":                              costRoom,
	"ports[].pfc.rate":                         costNone,
	"ports[].pfc.pause":                        costNone,
	"ports[].push_back":                        costHost,
	"ports[].offload":                          costSockets,
	"ports[].lldp.destinations":                costLLDP,
	"ports[].lldp.max_neighbors":               costLLDP,
}

// costOf returns what a reload that changes a key interrupts (nothing, sockets, the link and so on), in the words of
// the reference. A key without an entry of its own has the cost of the section around it.
func costOf(key string) string {
	for at := key; ; at = at[:max(0, strings.LastIndex(at, "."))] {
		if c, ok := costs[at]; ok {
			return c
		}
	}
}
