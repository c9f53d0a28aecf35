package ieee

import "slices"

// message is the content of the own TLVs; nil: the TLV is not sent.
type message struct {
	ets            *Configuration
	recommendation *ETS
	pfc            *PFC
	app            []AppEntry
}

// sent returns the content of the own TLVs: operational tables and priorities, and the configured willing bits,
// recommendation and entries. Entries learned from the peer are not sent: otherwise each end would keep entries of the
// other end that the other end has removed.
// Clauses: 802.1Qaz/octets.3, 802.1Qaz/app.1.
func (p *Port) sent() (m message) {
	if !p.running {
		return message{}
	}
	if !p.local.WithoutETS {
		c := p.local.ETS
		c.ETS = p.outcome.ETS
		m.ets, m.recommendation = &c, &p.local.Recommendation
	}
	if !p.local.WithoutPFC {
		c := p.local.PFC
		c.Enable = p.outcome.PFC
		m.pfc = &c
	}
	if !p.local.WithoutApp {
		m.app = p.local.App
	}
	return m
}

// equal reports whether both messages have the same TLVs.
func (m message) equal(other message) bool {
	return equal(m.ets, other.ets) && equal(m.recommendation, other.recommendation) && equal(m.pfc, other.pfc) &&
		slices.Equal(m.app, other.app)
}

func equal[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// AppendTLVs appends the own TLVs for the next LLDPDU, by subtype; none while the exchange does not run.
func (p *Port) AppendTLVs(list []TLV) []TLV {
	m := p.sent()
	if m.ets != nil {
		list = append(list, TLV{SubtypeETS, m.ets.append(nil)},
			TLV{SubtypeRecommendation, m.recommendation.append([]byte{0})})
	}
	if m.pfc != nil {
		list = append(list, TLV{SubtypePFC, m.pfc.append(nil)})
	}
	if p.running && !p.local.WithoutApp {
		list = append(list, TLV{SubtypeApp, appendApp(nil, m.app)})
	}
	return list
}
