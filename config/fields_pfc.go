package config

import (
	"uelink/config/schema"
	"uelink/dataplane/model"
)

// pfcEntry is the section pfc of an edge port.
type pfcEntry struct {
	mode       pfcMode
	priorities []uint8
	settings   model.PFCSettings
	rate       uint64 // bit/s
}

// pfcMode is off, static (priorities by configuration) or dynamic (priorities by DCBX).
type pfcMode uint8

// The values of pfc.mode.
const (
	pfcOff pfcMode = iota
	pfcStatic
	pfcDynamic
)

// String returns the PFC mode's name in the configuration: off, static or dynamic.
func (m pfcMode) String() string { return [...]string{"off", "static", "dynamic"}[m] }

// maxPFCChunks bounds the waiting frames of one priority.
const maxPFCChunks = 8192

// pfcFields returns the schema of the configuration key pfc of an edge.
// Clauses: DCBX/pfc.3.
func pfcFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("pfc", "Edge only. Priority-based flow control (802.1Qbb) with the host: priority n is traffic class n of received frames, "+
			"and queue n of sent frames. A host that does not obey PFC loses frames that find no room (`rx_drop_pfc`).",
			schema.Section[pfcEntry]{
				schema.Value("mode", schema.Choice(pfcOff, pfcStatic, pfcDynamic), "off",
					"`static`: on for `priorities`. `dynamic`: on for the priorities that DCBX agreed on with the host, "+
						"for none before an agreement.",
					func(p *pfcEntry) *pfcMode { return &p.mode }),
				schema.Scalars("priorities", schema.Whole[uint8](0, 7), 0, "", "Priorities with PFC, in mode static.",
					func(p *pfcEntry, list []uint8) { p.priorities = list }),
				schema.Value("xoff", schema.Whole(1, maxPFCChunks), "256", "Stop a priority of the host when this many of its frames wait.",
					func(p *pfcEntry) *int { return &p.settings.XOff }),
				schema.Value("xon", schema.Whole(0, maxPFCChunks), "128", "Let the host send the priority again when no more than this many of its frames wait.",
					func(p *pfcEntry) *int { return &p.settings.XOn }),
				schema.Value("headroom", schema.Whole(0, maxPFCChunks), "256", "Room for frames of a priority that still arrive after the stop.",
					func(p *pfcEntry) *int { return &p.settings.Headroom }),
				schema.Value("rate", schema.BitRate(), "10Gbps", "Rate of the port; a pause is counted in bit times of this rate.",
					func(p *pfcEntry) *uint64 { return &p.rate }),
				schema.Value("pause", schema.Boolean(), "false", "Obey PAUSE (802.3) of the host too, which stops all queues.",
					func(p *pfcEntry) *bool { return &p.settings.Pause }),
			}, func(p *portEntry) *pfcEntry { return &p.pfc }),
	}
}

// checkPFC checks the section pfc of an edge, and sets the port's PFC settings, unless the mode is off. In mode dynamic
// the priorities come from DCBX, which must be on.
func (w checks) checkPFC(p *portEntry, path string) {
	e, at := &p.pfc, schema.Join(path, "pfc")
	if p.frames.Role != model.RoleEdge || w.Wrong(at) {
		return
	}
	if i := repeated(e.priorities); i >= 0 {
		w.FailAt(schema.Element(schema.Join(at, "priorities"), i), "this priority is already there")
	}
	if e.settings.XOn >= e.settings.XOff {
		key := schema.Join(at, "xon")
		if !w.Has(key) {
			key = schema.Join(at, "xoff")
		}
		w.FailAt(key, "xon (%d) must be less than xoff (%d)",
			e.settings.XOn, e.settings.XOff)
	}
	if e.rate == 0 {
		w.FailAt(schema.Join(at, "rate"), "a pause is counted in bit times: write the rate of the port, such as 10Gbps")
	}
	if e.mode == pfcDynamic {
		if w.Has(schema.Join(at, "priorities")) {
			w.FailAt(schema.Join(at, "priorities"),
				"in mode dynamic DCBX agrees on the priorities: write them in dcbx.pfc.priorities")
		}
		if !p.dcbx.on {
			w.FailAt(schema.Join(at, "mode"), "this needs DCBX with the host: set dcbx.mode of the port")
		}
	}
	if e.mode == pfcOff {
		return
	}
	s := &p.frames.PFC
	*s = e.settings
	s.Rate, s.Dynamic = int64(e.rate), e.mode == pfcDynamic
	s.Priorities = bitmap[uint8](e.priorities)
}
