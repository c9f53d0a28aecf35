package store

import (
	"uelink/dataplane/model"

	"uelink/sai"
)

// PFC settings for an edge whose configuration has no PFC: the defaults of the configuration.
const (
	xoffDefault     = 256
	xonDefault      = 128
	headroomDefault = 256
	pfcRateDefault  = 10_000_000_000 // bit/s
)

// setPriorities sets the priorities with PFC of an edge, as a bitmap. With DCBX it changes nothing, because the host
// takes part in the decision.
func setPriorities(p *model.PFCSettings, priorities uint8) {
	switch {
	case p.Dynamic:
		return
	case priorities == 0 && !p.Pause:
		*p = model.PFCSettings{}
	case p.Rate == 0:
		*p = model.PFCSettings{XOff: xoffDefault, XOn: xonDefault, Headroom: headroomDefault, Rate: pfcRateDefault}
	}
	p.Priorities = priorities
}

// portPriorities reads the priorities with PFC of an edge: those in force, which DCBX may have changed.
func portPriorities(v *view, o *object) sai.Value {
	if state := v.state(o.name).PFC; state != nil {
		return number(state.Settings.Priorities)
	}
	return number(v.settings(o.name).PFC.Priorities)
}
