package dcbx

import "fmt"

// ConfigError is a mistake in a DCBX configuration.
type ConfigError struct {
	Feature Feature
	Field   string // name of the field in JSON
	Why     string
}

// Error returns a message with the feature, the field and the mistake.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("dcbx: %s: %s: %s", e.Feature, e.Field, e.Why)
}

// Params are the locally administered parameters of a feature (DCBX,
// 2.4.3.1 and 2.4.3.2).
// Clauses: DCBX/parameters.3, DCBX/feature-tlv.7,8, DCBX/feature-variables.1,8.
type Params[C any] struct {
	// Enable: the feature is wanted. Both ends must want it.
	Enable bool `json:"enable"`
	// Willing: a peer that is not willing gives the configuration.
	Willing bool `json:"willing"`
	// Advertise: the feature takes part in the exchange. Otherwise Config is operational unchanged
	// and the peer's sub-TLV is ignored.
	Advertise bool `json:"advertise"`
	// Config is DesiredCfg.
	Config C `json:"desired_cfg"`
}

// equalParams reports whether the local parameters a and b of a feature are equal: then a change from a to b is no
// LocalParameterChange.
func equalParams[C config[C]](a, b Params[C]) bool {
	return a.Enable == b.Enable && a.Willing == b.Willing && a.Advertise == b.Advertise && a.Config.equal(b.Config)
}

// Local is an administrator's configuration of a port.
type Local struct {
	PG  Params[PG]  `json:"pg"`
	PFC Params[PFC] `json:"pfc"`
	App Params[App] `json:"app"`
}

// Default returns a configuration that advertises PG and PFC and is willing in both, with all
// priorities in one group, PFC on no priority, and no Application entries.
// Clauses: DCBX/feature.5, DCBX/pg.3, DCBX/pfc.4.
func Default() Local {
	return Local{
		PG: Params[PG]{Enable: true, Willing: true, Advertise: true,
			Config: PG{Percentage: [groups]uint8{100}, NumTCs: 8}},
		PFC: Params[PFC]{Enable: true, Willing: true, Advertise: true, Config: PFC{NumTCs: 8}},
	}
}

// Validate returns a *[ConfigError] for the first mistake in the local parameters, or nil.
func (l *Local) Validate() error {
	if err := l.PG.Config.validate(); err != nil {
		return err
	}
	if err := l.PFC.Config.validate(); err != nil {
		return err
	}
	return l.App.Config.validate()
}
