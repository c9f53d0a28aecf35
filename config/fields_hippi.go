package config

import (
	"time"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/hippi"
)

// linkProtocolFields returns the schema of key protocol of a link port: llr or hippi6400.
func linkProtocolFields() schema.Section[model.PortSettings] {
	return schema.Section[model.PortSettings]{
		schema.Value("protocol", schema.Choice(model.LLR, model.HIPPI6400), "llr",
			"Link only. Protocol between the two ends; both need the same. `llr`: LLR and CBFC of Ultra Ethernet. "+
				"`hippi6400`: HIPPI-6400-PH, see the section `hippi`; such a link has no keys `llr`, `cbfc`, `vcs`, `dialect` "+
				"and `encapsulation`. Its frames have the addresses of the two link ports, so the partner may be behind a bridge.",
			func(p *model.PortSettings) *model.Protocol { return &p.Protocol }),
	}
}

// hippiFields returns the schema of section hippi of a link port: the settings of HIPPI-6400-PH.
func hippiFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("hippi", "Link with `protocol: hippi6400` only.", hippiValueFields(),
			func(p *portEntry) *hippiEntry { return &p.hippi }),
	}
}

// hippiValueFields returns the schemas of the keys within section hippi: profile, timeouts, retries, buffer and
// recover.
func hippiValueFields() schema.Section[hippiEntry] {
	return schema.Section[hippiEntry]{
		schema.Value("profile", schema.Either("software", "standard"), "software",
			"Values of the keys below that are `auto`. `software`: `ack_timeout` by the measured loop, `retries` 100, "+
				"`credit_timeout` 30s, `silence` and `dead_man` 500ms, `stall` longer than all retries. `standard`: table 6 of "+
				"HIPPI-6400-PH and 2 retries, for ends in hardware.",
			func(h *hippiEntry) *bool { return &h.standard }),
		schema.Value("ack_timeout", schema.OrAuto(schema.Duration(time.Microsecond, 10*time.Second)), "auto",
			"Time without an acknowledgement after which everything unacknowledged is sent again. Profile `standard`: 12us.",
			func(h *hippiEntry) *time.Duration { return &h.ack }),
		schema.Value("activity", schema.OrAuto(schema.Duration(time.Microsecond, 10*time.Second)), "auto",
			"Time for which the partner's signal must be there, or gone, before the change counts. Profiles `software` and `standard`: 1ms.",
			func(h *hippiEntry) *time.Duration { return &h.activity }),
		schema.Value("silence", schema.OrAuto(schema.Duration(time.Millisecond, time.Minute)), "auto",
			"Time without a micropacket of the partner after which the partner's signal counts as gone; a partner with the "+
				"same setting sends five micropackets in this time. Profile `standard`: only the carrier counts.",
			func(h *hippiEntry) *time.Duration { return &h.silence }),
		schema.Value("credit_timeout", schema.OrAuto(schema.Duration(time.Millisecond, time.Hour)), "auto",
			"Time for which a frame may wait for credit; then the link is shut down. Profile `standard`: 2s.",
			func(h *hippiEntry) *time.Duration { return &h.credit }),
		schema.Value("hold_off", schema.OrAuto(schema.Duration(time.Millisecond, time.Hour)), "auto",
			"For this time after an Initialize, another Initialize by the partner is ignored. Profiles `software` and `standard`: 10s.",
			func(h *hippiEntry) *time.Duration { return &h.holdOff }),
		schema.Value("dead_man", schema.OrAuto(schema.Duration(time.Millisecond, time.Minute)), "auto",
			"Longest time of a Link Reset or an Initialize; after this time a new Link Reset begins. Profile `standard`: 100ms.",
			func(h *hippiEntry) *time.Duration { return &h.deadMan }),
		schema.Value("stall", schema.OrAuto(schema.Duration(time.Millisecond, time.Hour)), "auto",
			"Time without a further part of an incomplete frame after which the frame is given up. Profile `standard`: 2ms.",
			func(h *hippiEntry) *time.Duration { return &h.stall }),
		schema.Value("retries", schema.OrAuto(schema.Whole(1, 100000)), "auto",
			"Retransmissions in a row without an acknowledgement; after one more ACK timeout the link is shut down. "+
				"Profile `standard`: 2.",
			func(h *hippiEntry) *int { return &h.retries }),
		schema.Value("buffer", schema.Whole[uint8](8, hippi.MaxCredits), "255",
			"Micropackets of each VC buffer of this end, and so credits that it grants to the partner.",
			func(h *hippiEntry) *uint8 { return &h.buffer }),
		schema.Value("recover", schema.Duration(0, time.Hour), "5s",
			"Time between two Link Resets of a link that was shut down; 0: the link stays shut down until `uelink hippi reset`.",
			func(h *hippiEntry) *time.Duration { return &h.recover }),
		schema.Value("vc3", schema.Boolean(), "false",
			"Frames may go on VC3, if the partner allows it too; else those that `qos.tc_to_vc_map` maps to VC3 go on VC0 or "+
				"VC1. A partner of an older version does not understand frames of a link with `vc3: true`.",
			func(h *hippiEntry) *bool { return &h.vc3 }),
	}
}
