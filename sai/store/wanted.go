package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/sai"
)

// want is an object that the store must have: the key of the object, and the function that makes the object.
type want struct {
	key  string
	make func() *object
}

// wanted returns the objects that every switch has, and those that the configuration demands: LLR profiles, ports,
// QoS maps, and for links credit pools, credit profiles and virtual channels with credits. An object follows those
// that it refers to.
func (s *Store) wanted() (list []want) {
	list = wantedDefaults()
	for _, name := range slices.Sorted(maps.Keys(s.base.Profiles)) {
		list = append(list, want{"llr_profile " + name, func() *object {
			return &object{oid: s.next.newOID(sai.TypeLLRProfile), name: name, values: map[uint32]sai.Value{}}
		}})
	}
	for i := range s.base.Ports {
		p := &s.base.Ports[i]
		list = append(list, want{"port " + p.Name, func() *object {
			return &object{oid: portOID(p.Name, s.objects), name: p.Name, values: map[uint32]sai.Value{}}
		}})
		list = slices.Concat(list, s.wantedMaps(p), s.wantedChannels(p))
	}
	return list
}

// mapNames has the names of QoS maps, by type.
var mapNames = map[int64]string{mapDot1p: "DOT1P_TO_TC", mapDSCP: "DSCP_TO_TC", mapTCToVC: "TC_TO_VC",
	mapTCToQueue: "TC_TO_QUEUE", mapDot1pDEI: "DOT1P_DEI_TO_TC", mapQueueToVC: "QUEUE_TO_VC"}

// mapKey returns the key of a QoS map of the configuration.
func mapKey(port string, kind int64) string { return "qos_map " + mapNames[kind] + " of " + port }

func poolKey(port string) string { return "credit_pool of " + port }

func creditKey(port string, vc uint8) string {
	return fmt.Sprintf("credit_profile of VC %d of %s", vc, port)
}

func vcKey(port string, vc uint8) string { return fmt.Sprintf("vc %d of %s", vc, port) }

// channel returns the number of the virtual channel to which this object, a credit profile of the configuration,
// belongs.
func (o *object) channel() uint8 {
	for vc := range uint8(cbfc.VCs) {
		if creditKey(o.port, vc) == o.key {
			return vc
		}
	}
	return 0
}

// wantedMaps returns the QoS map objects that the configuration of a port demands: one for each map that its trust
// mode uses, and the map from traffic classes to virtual channels of a link, or to queues of an edge.
func (s *Store) wantedMaps(p *model.PortSettings) (list []want) {
	for kind, acts := range map[int64]bool{
		mapDot1p: p.QoS.Trust >= qos.TrustDot1p, mapDSCP: p.QoS.Trust >= qos.TrustDSCP,
		mapTCToVC: p.Role == model.RoleLink && p.Protocol == model.LLR, mapTCToQueue: p.Role == model.RoleEdge,
	} {
		if acts {
			list = append(list, want{mapKey(p.Name, kind), func() *object {
				return &object{oid: s.next.newOID(sai.TypeQoSMap), name: p.Name + " " + mapNames[kind], port: p.Name,
					values: map[uint32]sai.Value{mapType: number(kind)}}
			}})
		}
	}
	slices.SortFunc(list, func(a, b want) int { return strings.Compare(a.key, b.key) })
	return list
}

// wantedChannels returns the objects that a port's CBFC configuration demands: virtual channels with credits, their
// credit profiles, and a pool for these. A channel that SAI has made is left out; if SAI has made the port's pool, so
// are the pool and all credit profiles.
func (s *Store) wantedChannels(p *model.PortSettings) (list []want) {
	var profiles, channels []want
	pooled := s.poolOf(p.Name) == nil || !s.poolOf(p.Name).isFromClient()
	for vc := range uint8(cbfc.VCs) {
		if p.CBFC.Lossless>>vc&1 == 0 && p.CBFC.Limit[vc] == 0 {
			continue
		}
		if pooled && p.CBFC.Profile[vc] != (cbfc.Profile{}) {
			profiles = append(profiles,
				want{creditKey(p.Name, vc), func() *object { return s.configuredCredits(p, vc) }})
		}
		if o := s.vcOf(p.Name, vc); o == nil || !o.isFromClient() {
			channels = append(channels, want{vcKey(p.Name, vc), func() *object {
				return &object{oid: s.next.newOID(sai.TypeVC), name: fmt.Sprintf("%s VC %d", p.Name, vc), port: p.Name,
					values: map[uint32]sai.Value{vcPort: {OID: s.portNamed(p.Name)}, vcIndex: number(vc)}}
			}})
		}
	}
	if len(profiles) > 0 {
		list = append(list, want{poolKey(p.Name), func() *object {
			return &object{oid: s.next.newOID(sai.TypeCreditPool), name: p.Name + " credit pool", port: p.Name,
				values: map[uint32]sai.Value{poolPort: {OID: s.portNamed(p.Name)}}}
		}})
	}
	return slices.Concat(list, profiles, channels)
}

// configuredCredits returns a new object for the credit profile that the configuration gives virtual channel vc of
// port p.
func (s *Store) configuredCredits(p *model.PortSettings, vc uint8) *object {
	return &object{oid: s.next.newOID(sai.TypeCreditProfile), name: fmt.Sprintf("%s VC %d credit profile", p.Name, vc),
		port: p.Name, values: map[uint32]sai.Value{creditPool: {OID: s.poolOf(p.Name).oid}}}
}

// keyed returns the object of the configuration with a key; nil if there is none.
func (s *Store) keyed(key string) *object {
	for _, o := range s.objects {
		if o.key == key {
			return o
		}
	}
	return nil
}

// poolOf returns the credit pool object of the port with a name; nil if there is none.
func (s *Store) poolOf(port string) *object {
	for oid, o := range s.objects {
		if oid.Type() == sai.TypeCreditPool && o.port == port {
			return o
		}
	}
	return nil
}
