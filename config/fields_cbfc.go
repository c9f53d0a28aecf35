package config

import (
	"time"

	"uelink/cbfc"
	"uelink/config/schema"
)

// creditProfileFields returns the schema of the configuration keys of a credit profile: the attributes of SAI's
// CBFC_CREDIT_PROFILE.
func creditProfileFields() schema.Section[cbfcProfile] {
	return schema.Section[cbfcProfile]{
		schema.Required("reserved", schema.Whole[uint16](0, cbfc.MaxLimit), "Credits of the partner's total that are for this channel alone.",
			func(p *cbfcProfile) *uint16 { return &p.reserved }),
		schema.Value("threshold_mode", threshold(), "none",
			"Use of the partner's credits that no channel has reserved. `none`: no use. `static`: up to `shared_static_th`.",
			func(p *cbfcProfile) *thresholdMode { return &p.mode }),
		schema.Value("shared_static_th", schema.Whole[uint16](0, cbfc.MaxLimit), "0", "With `static`: largest number of unreserved credits that this channel may use; 0 = no limit.",
			func(p *cbfcProfile) *uint16 { return &p.static }),
	}
}

// cbfcFields returns the schema of the configuration key cbfc of a link.
// Clauses: UE-LINK/cbfc-tlv.9.
func cbfcFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("cbfc", "Link only. Credit-based flow control of virtual channels; needs `fcs: true`. "+
			"Credits prevent overflow, but only LLR repeats frames lost on the wire: a channel is lossless only with LLR.",
			append(cbfcModeFields(), append(creditFields(), offerFields()...)...),
			func(p *portEntry) *cbfcEntry { return &p.cbfc }),
	}
}

// cbfcModeFields returns the schema of the configuration keys that switch CBFC on and size its credits.
func cbfcModeFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("mode", schema.Choice(cbfcOff, cbfcStatic, cbfcDynamic), "off",
			"`static`: on, for the channels of `vcs`. `dynamic`: on while both ends offer CBFC by LLDP, for the channels that are lossless at both. "+
				"`off`: the other keys of this section have no effect.",
			func(c *cbfcEntry) *cbfcMode { return &c.mode }),
		schema.Value("credit_size", creditSize(), "auto",
			"Octets of a credit; both ends need the same. `auto`: 2048, so that a frame in a chunk of 2048 octets costs one credit.",
			func(c *cbfcEntry) *int { return &c.size.Credit }),
		schema.Value("packet_overhead", schema.Whole(cbfc.MinPacketOverhead, cbfc.MaxPacketOverhead), "0",
			"Octets added to the length of a frame with FCS when its credits are counted; both ends need the same.",
			func(c *cbfcEntry) *int { return &c.size.Overhead }),
		schema.List("vcs", "Virtual channels; a channel left out is best effort.", channelFields(),
			func(c *cbfcEntry) *[]channelEntry { return &c.channels }),
		schema.Value("total_credits", schema.Whole(0, cbfc.MaxLimit), "0",
			"Credits that this end grants to all channels together. One stalled channel can use up all of these credits. 0 = each channel has credits of its own, up to its `limit`.",
			func(c *cbfcEntry) *int { return &c.total }),
	}
}

// creditSize returns the schema.Kind that parses the number of octets of a credit, or auto, which is the largest
// size.
func creditSize() schema.Kind[int] {
	k := schema.OrAuto(schema.PowerOfTwo(cbfc.MinCreditSize, cbfc.MaxCreditSize))
	return schema.Mapped(k, func(octets int) int {
		if octets == 0 {
			return cbfc.MaxCreditSize
		}
		return octets
	})
}

// creditFields returns the schema of the configuration keys for the timing of CC_Update and CF_Update, and for
// the credit timeout.
// Clauses: UE-LINK/overview.10, UE-LINK/cc.7.
func creditFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("cc_message_timer", schema.Duration(0, 250*time.Millisecond), "10ms",
			"Time between two CC_Updates while credits are in use. A CC_Update recovers the credits of lost frames; 0 = none are sent.",
			func(c *cbfcEntry) *time.Duration { return &c.ccTimer }),
		schema.Value("cf_min_spacing", schema.Size(800, 1<<20), "6400", "Shortest time between two CF_Updates, as the number of octets that the link can send in this time.",
			func(c *cbfcEntry) *int64 { return &c.cfMin }),
		schema.Value("cf_max_spacing", schema.Size(16<<10, 1<<20), "262144",
			"Longest time until a CF_Update reports freed credits, as the number of octets that the link can send in this time. The report comes sooner once an eighth of a limit is free, or when no frames arrive.",
			func(c *cbfcEntry) *int64 { return &c.cfMax }),
		schema.Value("credit_timeout", schema.Duration(0, time.Hour), "1s",
			"Report a frame that waits this long for credits; 0 = never.",
			func(c *cbfcEntry) *time.Duration { return &c.timeout }),
		schema.Value("credit_timeout_action", schema.Either("report", "reset"), "report",
			"At a credit timeout: `report` it, or also `reset` the channel with the partner.",
			func(c *cbfcEntry) *bool { return &c.reset }),
	}
}

// offerFields returns the schema of the configuration keys of section cbfc in mode dynamic without a list of
// channels.
func offerFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("num_vcs", schema.Whole(1, cbfc.VCs), "1", "`dynamic` without `vcs`: number of virtual channels.",
			func(c *cbfcEntry) *int { return &c.vcs }),
		schema.Value("credit_pool_size", schema.Whole(1, 65535), "1024",
			"`dynamic` without `vcs`: credits that this end grants to all channels together; at most 16383 are granted.",
			func(c *cbfcEntry) *int { return &c.pool }),
		schema.Scalars("lossless_vcs", schema.Whole[uint8](0, cbfc.VCs-1), 0, "", "`dynamic` without `vcs`: virtual channels that are lossless.",
			func(c *cbfcEntry, list []uint8) { c.lossless = list }),
	}
}

// channelFields returns the schema of the configuration keys of a virtual channel: the attributes of SAI's
// VIRTUAL_CHANNEL.
func channelFields() schema.Section[channelEntry] {
	return schema.Section[channelEntry]{
		schema.Required("index", schema.Whole[uint8](0, cbfc.VCs-1), "Number of the channel.",
			func(c *channelEntry) *uint8 { return &c.index }),
		schema.Value("lossless", schema.Boolean(), "false", "This end needs credits to send on the channel, and grants credits to the partner.",
			func(c *channelEntry) *bool { return &c.lossless }),
		schema.Value("limit", creditLimit(), "auto",
			"Credits that this end grants for the channel. `auto`: the lossless channels share the credits of 1024 frames of 64 octets; each channel gets those of 128 to 512 frames.",
			func(c *channelEntry) *int { return &c.limit }),
		schema.Value("profile", nameOrNone(), "",
			"Name of the credit profile, for a partner that grants a total to all channels; empty = no credits reserved, and no limit on shared credits.",
			func(c *channelEntry) *string { return &c.profile }),
		schema.Value("weight", schema.Whole[uint8](1, 255), "1", "Weight of the channel's queue, in place of a scheduler with `dwrr`.",
			func(c *channelEntry) *uint8 { return &c.weight }),
		schema.Value("priority", schema.Whole[uint8](0, 9), "0", "Priority of the channel's queue: the highest is served first. Only for a channel without a scheduler.",
			func(c *channelEntry) *uint8 { return &c.priority }),
		schema.Value("queue_octets", queueOctets(), "auto",
			"Best effort only. Largest number of octets that wait for the channel at this port's egress. A further frame is trimmed, or dropped "+
				"(`tx_drop_queue_full`), unless the frame was received under credits or PFC. `auto`: the queue's share of the chunks. "+
				"Frames waiting for a lossless channel are bounded at the port that receives them: by the `limit` of a link, by `pfc.xoff` and "+
				"`pfc.headroom` of an edge.",
			func(c *channelEntry) *int64 { return &c.octets }),
		schema.Value("llr", schema.Boolean(), "true", "Send the channel's frames with LLR, if the link has LLR on.",
			func(c *channelEntry) *bool { return &c.llr }),
	}
}
