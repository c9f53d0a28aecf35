package ieee

import (
	"fmt"
	"slices"

	"uelink/lldp/dcbx"
)

// Local is an administrator's configuration of a port.
type Local struct {
	ETS            Configuration // own tables, willing bit, number of classes
	Recommendation ETS           // sent to the peer
	PFC            PFC           // own priorities, willing bit, capability
	App            []AppEntry
	// WithoutETS, WithoutPFC and WithoutApp: the TLVs are not sent, the peer's are ignored, and the own settings hold.
	WithoutETS, WithoutPFC, WithoutApp bool
}

// ConvertLocal returns the configuration of this dialect that has the meaning of local, a configuration of dcbx: groups
// become traffic classes, the recommendation equals the own tables, and there are no Application entries. A feature
// that is not enabled or not advertised has no TLVs; PFC that is not enabled has no priorities.
// Clauses: 802.1Qaz/octets.4.
func ConvertLocal(local dcbx.Local) Local {
	ets := OfGroups(local.PG.Config)
	l := Local{
		ETS:            Configuration{Willing: local.PG.Willing, MaxTCs: local.PG.Config.NumTCs, ETS: ets},
		Recommendation: ets,
		PFC:            PFC{Willing: local.PFC.Willing, Cap: local.PFC.Config.NumTCs, Enable: local.PFC.Config.Enable},
		WithoutETS:     !local.PG.Enable || !local.PG.Advertise,
		WithoutPFC:     !local.PFC.Enable || !local.PFC.Advertise,
		WithoutApp:     !local.App.Enable || !local.App.Advertise,
	}
	if !local.PFC.Enable {
		l.PFC.Enable = 0
	}
	return l
}

// Validate returns a *[dcbx.ConfigError] for the first mistake in the configuration, or nil. Its fields are
// traffic_class, bandwidth, tsa, max_tcs, recommend and entries.
func (l *Local) Validate() error {
	if field, reason := l.ETS.mistake(l.ETS.MaxTCs); reason != "" {
		return &dcbx.ConfigError{Feature: dcbx.FeaturePG, Field: field, Why: reason}
	}
	if _, reason := l.Recommendation.mistake(classes); reason != "" {
		return &dcbx.ConfigError{Feature: dcbx.FeaturePG, Field: "recommend", Why: reason}
	}
	if n := len(l.App); n > MaxAppEntries {
		return &dcbx.ConfigError{Feature: dcbx.FeatureApp, Field: "entries",
			Why: fmt.Sprintf("%d entries do not fit into the TLV, %d do", n, MaxAppEntries)}
	}
	return nil
}

// mistake returns the field and the text of the first mistake in configured tables of an end with maxTCs classes.
func (e ETS) mistake(maxTCs uint8) (field, reason string) {
	if c := slices.Max(e.Class[:]); c >= maxTCs {
		return "traffic_class", fmt.Sprintf("class %d does not exist: there are classes 0 to %d", c, maxTCs-1)
	}
	sum, enhanced := 0, false
	for class, algorithm := range e.Algorithm {
		switch algorithm {
		case Enhanced:
			enhanced = true
			sum += int(e.Bandwidth[class])
		case Strict, CreditShaper, Vendor:
			if e.Bandwidth[class] > 0 {
				return "bandwidth", fmt.Sprintf("class %d has %d %% of the bandwidth, but is no ETS class: only ETS classes "+
					"have a share", class, e.Bandwidth[class])
			}
		default:
			return "tsa", fmt.Sprintf("class %d has the unknown selection algorithm %d", class, algorithm)
		}
	}
	if enhanced && sum != 100 {
		return "bandwidth", fmt.Sprintf("the shares of the ETS classes add up to %d, not to 100", sum)
	}
	return "", ""
}
