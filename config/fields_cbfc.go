package config

import (
	"time"

	"uelink/cbfc"
	"uelink/config/schema"
)

// creditProfileFields returns the attributes of SAI's CBFC_CREDIT_PROFILE as keys.
func creditProfileFields() schema.Section[cbfcProfile] {
	return schema.Section[cbfcProfile]{
		schema.Required("reserved", schema.Whole[uint16](0, cbfc.MaxLimit), "Credits of the partner's total that only the channel takes.",
			func(p *cbfcProfile) *uint16 { return &p.reserved }),
		schema.Value("threshold_mode", threshold(), "none",
			"What the channel takes of the credits that nobody has reserved. `none`: nothing. `static`: as `shared_static_th` says.",
			func(p *cbfcProfile) *thresholdMode { return &p.mode }),
		schema.Value("shared_static_th", schema.Whole[uint16](0, cbfc.MaxLimit), "0", "At most so many, with `static`; 0 = no limit.",
			func(p *cbfcProfile) *uint16 { return &p.static }),
	}
}

// cbfcFields returns the key cbfc of a link.
func cbfcFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("cbfc", "Link only. Credit-based flow control of virtual channels; it needs `fcs: true`. "+
			"Without LLR nothing overflows, but what the wire loses stays lost: a channel is lossless only with LLR.",
			append(cbfcModeFields(), append(creditFields(), offerFields()...)...),
			func(p *portEntry) *cbfcEntry { return &p.cbfc }),
	}
}

func cbfcModeFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("mode", schema.Choice(cbfcOff, cbfcStatic, cbfcDynamic), "off",
			"`static`: on, as `vcs` says. `dynamic`: on while both ends offer it by LLDP, on the channels that both have lossless. "+
				"`off`: nothing here has an effect.",
			func(c *cbfcEntry) *cbfcMode { return &c.mode }),
		schema.Value("credit_size", creditSize(), "auto",
			"Octets of a credit; both ends need the same. `auto`: 2048, so that a frame in a chunk of 2048 octets costs one.",
			func(c *cbfcEntry) *int { return &c.size.Credit }),
		schema.Value("packet_overhead", schema.Whole(cbfc.MinPacketOverhead, cbfc.MaxPacketOverhead), "0",
			"Octets that a frame counts beyond its length with FCS; both ends need the same.",
			func(c *cbfcEntry) *int { return &c.size.Overhead }),
		schema.List("vcs", "Virtual channels; one that is left out is best effort.", channelFields(),
			func(c *cbfcEntry) *[]channelEntry { return &c.channels }),
		schema.Value("total_credits", schema.Whole(0, cbfc.MaxLimit), "0",
			"Credits that this end grants to all channels together, which a stalled one may use up; 0 = each has its `limit`.",
			func(c *cbfcEntry) *int { return &c.total }),
	}
}

// creditSize returns the kind of the octets of a credit; auto is the largest size.
func creditSize() schema.Kind[int] {
	k := schema.OrAuto(schema.PowerOfTwo(cbfc.MinCreditSize, cbfc.MaxCreditSize))
	return schema.Mapped(k, func(octets int) int {
		if octets == 0 {
			return cbfc.MaxCreditSize
		}
		return octets
	})
}

// creditFields returns the keys for the timing of CC_Update and CF_Update, and for the credit timeout.
func creditFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("cc_message_timer", schema.Duration(0, 250*time.Millisecond), "10ms",
			"Between two CC_Updates while credits are in use: they bring back the credits of frames that were lost; 0 = none.",
			func(c *cbfcEntry) *time.Duration { return &c.ccTimer }),
		schema.Value("cf_min_spacing", schema.Size(800, 1<<20), "6400", "Octets that the link has time for between two CF_Updates, at least.",
			func(c *cbfcEntry) *int64 { return &c.cfMin }),
		schema.Value("cf_max_spacing", schema.Size(16<<10, 1<<20), "262144",
			"Octets that it has time for until CF_Update says what is freed, at most; sooner where an eighth of a limit is, or nothing comes.",
			func(c *cbfcEntry) *int64 { return &c.cfMax }),
		schema.Value("credit_timeout", schema.Duration(0, time.Hour), "1s",
			"A frame that waits so long for credits is told; 0 = never.",
			func(c *cbfcEntry) *time.Duration { return &c.timeout }),
		schema.Value("credit_timeout_action", schema.Either("report", "reset"), "report",
			"`reset`: then the channel also begins anew with the partner.",
			func(c *cbfcEntry) *bool { return &c.reset }),
	}
}

// offerFields returns the keys of mode dynamic without a list of channels.
func offerFields() schema.Section[cbfcEntry] {
	return schema.Section[cbfcEntry]{
		schema.Value("num_vcs", schema.Whole(1, cbfc.VCs), "1", "`dynamic` without `vcs`: virtual channels.",
			func(c *cbfcEntry) *int { return &c.vcs }),
		schema.Value("credit_pool_size", schema.Whole(1, 65535), "1024",
			"`dynamic` without `vcs`: credits that this end grants to all channels together; at most 16383 are granted.",
			func(c *cbfcEntry) *int { return &c.pool }),
		schema.Scalars("lossless_vcs", schema.Whole[uint8](0, cbfc.VCs-1), 0, "", "`dynamic` without `vcs`: virtual channels that are lossless.",
			func(c *cbfcEntry, list []uint8) { c.lossless = list }),
	}
}

// channelFields returns the attributes of SAI's VIRTUAL_CHANNEL as keys.
func channelFields() schema.Section[channelEntry] {
	return schema.Section[channelEntry]{
		schema.Required("index", schema.Whole[uint8](0, cbfc.VCs-1), "Number of the channel.",
			func(c *channelEntry) *uint8 { return &c.index }),
		schema.Value("lossless", schema.Boolean(), "false", "What this end sends on it needs credits, and this end grants credits for it.",
			func(c *channelEntry) *bool { return &c.lossless }),
		schema.Value("limit", creditLimit(), "auto",
			"Credits that this end grants for it. `auto`: the lossless channels share 1024 frames of 64 octets, 128 to 512 each.",
			func(c *channelEntry) *int { return &c.limit }),
		schema.Value("profile", nameOrNone(), "",
			"Name of the credit profile, for a partner that grants a total; empty = nothing reserved, and no limit on what is shared.",
			func(c *channelEntry) *string { return &c.profile }),
		schema.Value("weight", schema.Whole[uint8](1, 255), "1", "Share of its queue, in place of a scheduler with `dwrr`.",
			func(c *channelEntry) *uint8 { return &c.weight }),
		schema.Value("priority", schema.Whole[uint8](0, 9), "0", "Priority of its queue, in place of a scheduler.",
			func(c *channelEntry) *uint8 { return &c.priority }),
		schema.Value("queue_octets", queueOctets(), "auto",
			"Best effort only. Octets that wait for it at this port's egress, at most; a frame beyond is trimmed, or dropped "+
				"(`tx_drop_queue_full`), but not one that came in under credits or PFC. `auto`: its share of the room. "+
				"What waits for a lossless channel is bounded where it comes in: by the `limit` of a link, by `pfc.xoff` and "+
				"`pfc.headroom` of an edge.",
			func(c *channelEntry) *int64 { return &c.octets }),
		schema.Value("llr", schema.Boolean(), "true", "Its frames are sent with LLR, if the link has that.",
			func(c *channelEntry) *bool { return &c.llr }),
	}
}
