package ieee

import (
	"bytes"

	"uelink/lldp/dcbx"
)

// MAC is the address of an end: of this port, or the source of the peer's frames.
type MAC = [6]byte

// TLV is an organizationally specific TLV under [OUI].
type TLV struct {
	Subtype uint8
	Payload []byte // after the subtype
}

// Remote is the content of the latest TLVs of a peer. A nil field stands for a TLV that is absent or unusable.
type Remote struct {
	Configuration  *Configuration `json:"configuration"`  // ETS Configuration; null: absent
	Recommendation *ETS           `json:"recommendation"` // ETS Recommendation; null: absent
	PFC            *PFC           `json:"pfc"`            // PFC; null: absent
	App            []AppEntry     `json:"app"`            // entries of the Application Priority TLV
	HasApp         bool           `json:"has_app"`        // there is an Application Priority TLV
}

// shortest is the length of the shortest usable payload, by subtype.
var shortest = map[uint8]int{SubtypeETS: etsLen, SubtypeRecommendation: etsLen, SubtypePFC: pfcLen, SubtypeApp: 1}

// Decode reads the TLVs of the exchange in an LLDPDU; other TLVs are ignored. A TLV that is too short counts as absent,
// and so do two TLVs of a subtype that differ. Octets beyond the format are ignored.
func Decode(tlvs []TLV) Remote {
	r, _, _ := decode(tlvs)
	return r
}

// decode decodes like Decode. It also returns the first fault, and the number of TLVs with each kind of fault.
func decode(tlvs []TLV) (r Remote, fault dcbx.Reason, count Counters) {
	for subtype := uint8(SubtypeETS); HasSubtype(subtype); subtype++ {
		payload, reason := only(tlvs, subtype, &count)
		if fault == dcbx.ReasonNone {
			fault = reason
		}
		if payload == nil {
			continue
		}
		switch subtype {
		case SubtypeETS:
			c := decodeConfiguration(payload)
			r.Configuration = &c
		case SubtypeRecommendation:
			e := decodeETS(payload[1:])
			r.Recommendation = &e
		case SubtypePFC:
			c := decodePFC(payload)
			r.PFC = &c
		case SubtypeApp:
			r.App, r.HasApp = decodeApp(payload), true
			if (len(payload)-1)%appEntryLen != 0 {
				count.RxPartialApp++
			}
		}
	}
	return r, fault, count
}

// only returns the payload of the TLV with the subtype. If the TLV is too short, or two TLVs of the subtype differ,
// payload is nil and reason says so; without such a TLV payload is nil and reason is empty.
// Clauses: 802.1Qaz/peer.2.
func only(tlvs []TLV, subtype uint8, count *Counters) (payload []byte, reason dcbx.Reason) {
	for _, t := range tlvs {
		switch {
		case t.Subtype != subtype:
		case len(t.Payload) < shortest[subtype]:
			count.RxShort++
			return nil, dcbx.Reason("the peer's " + name(subtype) + " TLV is too short")
		case payload == nil:
			payload = t.Payload
		case !bytes.Equal(payload, t.Payload):
			count.RxDuplicate++
			return nil, dcbx.Reason("the peer's LLDPDU has two " + name(subtype) + " TLVs that differ")
		}
	}
	return payload, dcbx.ReasonNone
}

// name returns the name of a TLV by its subtype.
func name(subtype uint8) string {
	return [...]string{"ETS Configuration", "ETS Recommendation", "PFC", "Application Priority"}[subtype-SubtypeETS]
}

// Counters count the TLVs of a port since NewPort.
type Counters struct {
	RxLLDPDUs    uint64 `json:"rx_lldpdus"`     // LLDPDUs with a TLV of IEEE DCBX
	RxShort      uint64 `json:"rx_short"`       // TLVs taken as absent because they are too short
	RxDuplicate  uint64 `json:"rx_duplicate"`   // TLVs taken as absent because two of the kind differ
	RxPartialApp uint64 `json:"rx_partial_app"` // Application Priority TLVs that end within an entry
	RxUnusable   uint64 `json:"rx_unusable"`    // ETS Recommendation TLVs with tables that no scheduler can operate by
	TxChanges    uint64 `json:"tx_changes"`     // changes of this port's TLVs that were sent
}

// add adds the counters of one LLDPDU.
func (c *Counters) add(delta Counters) {
	c.RxShort += delta.RxShort
	c.RxDuplicate += delta.RxDuplicate
	c.RxPartialApp += delta.RxPartialApp
}
