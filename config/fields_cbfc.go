package config

import (
	"time"

	"uelink/cbfc"
)

// creditProfileFields is SAI's CBFC_CREDIT_PROFILE.
func creditProfileFields() section[cbfcProfile] {
	return section[cbfcProfile]{
		required("reserved", whole[uint16](0, cbfc.MaxLimit), "Credits of the partner's total that only the channel takes.",
			func(p *cbfcProfile) *uint16 { return &p.reserved }),
		value("threshold_mode", threshold(), "none",
			"What the channel takes of the credits that nobody has reserved. `none`: nothing. `static`: as `shared_static_th` says.",
			func(p *cbfcProfile) *thresholdMode { return &p.mode }),
		value("shared_static_th", whole[uint16](0, cbfc.MaxLimit), "0", "At most so many, with `static`; 0 = no limit.",
			func(p *cbfcProfile) *uint16 { return &p.static }),
	}
}

// cbfcFields is the key of a link's credit-based flow control.
func cbfcFields() section[portEntry] {
	return section[portEntry]{
		nested("cbfc", "Link only. Credit-based flow control of virtual channels; it needs `fcs: true`. "+
			"Without LLR nothing overflows, but what the wire loses stays lost: a channel is lossless only with LLR.",
			append(cbfcModeFields(), append(creditFields(), offerFields()...)...),
			func(p *portEntry) *cbfcEntry { return &p.cbfc }),
	}
}

func cbfcModeFields() section[cbfcEntry] {
	return section[cbfcEntry]{
		value("mode", choice(cbfcOff, cbfcStatic, cbfcDynamic), "off",
			"`static`: on, as `vcs` says. `dynamic`: on while both ends offer it by LLDP, on the channels that both have lossless. "+
				"`off`: nothing here has an effect.",
			func(c *cbfcEntry) *cbfcMode { return &c.mode }),
		value("credit_size", creditSize(), "auto",
			"Octets of a credit; both ends need the same. `auto`: 2048, so that a frame in a chunk of 2048 octets costs one.",
			func(c *cbfcEntry) *int { return &c.size.Credit }),
		value("packet_overhead", whole(cbfc.MinPacketOverhead, cbfc.MaxPacketOverhead), "0",
			"Octets that a frame counts beyond its length with FCS; both ends need the same.",
			func(c *cbfcEntry) *int { return &c.size.Overhead }),
		list("vcs", "Virtual channels; one that is left out is best effort.", channelFields(),
			func(c *cbfcEntry) *[]channelEntry { return &c.channels }),
		value("total_credits", whole(0, cbfc.MaxLimit), "0",
			"Credits that this end grants to all channels together, which a stalled one may use up; 0 = each has its `limit`.",
			func(c *cbfcEntry) *int { return &c.total }),
	}
}

// creditSize is octets, the largest for auto.
func creditSize() kind[int] {
	k := orAuto(powerOfTwo(cbfc.MinCreditSize, cbfc.MaxCreditSize))
	return mapped(k, func(octets int) int {
		if octets == 0 {
			return cbfc.MaxCreditSize
		}
		return octets
	})
}

// creditFields is how the ends tell each other of credits.
func creditFields() section[cbfcEntry] {
	return section[cbfcEntry]{
		value("cc_message_timer", duration(0, 250*time.Millisecond), "10ms",
			"Between two CC_Updates while credits are in use: they bring back the credits of frames that were lost; 0 = none.",
			func(c *cbfcEntry) *time.Duration { return &c.ccTimer }),
		value("cf_min_spacing", size(800, 1<<20), "6400", "Octets that the link has time for between two CF_Updates, at least.",
			func(c *cbfcEntry) *int64 { return &c.cfMin }),
		value("cf_max_spacing", size(16<<10, 1<<20), "262144",
			"Octets that it has time for until CF_Update says what is freed, at most; sooner where an eighth of a limit is, or nothing comes.",
			func(c *cbfcEntry) *int64 { return &c.cfMax }),
		value("credit_timeout", duration(0, time.Hour), "1s",
			"A frame that waits so long for credits is told; 0 = never.",
			func(c *cbfcEntry) *time.Duration { return &c.timeout }),
		value("credit_timeout_action", either("report", "reset"), "report",
			"`reset`: then the channel also begins anew with the partner.",
			func(c *cbfcEntry) *bool { return &c.reset }),
	}
}

// offerFields is a short way to say what a link has in mode dynamic.
func offerFields() section[cbfcEntry] {
	return section[cbfcEntry]{
		value("num_vcs", whole(1, cbfc.VCs), "1", "`dynamic` without `vcs`: virtual channels.",
			func(c *cbfcEntry) *int { return &c.vcs }),
		value("credit_pool_size", whole(1, 65535), "1024",
			"`dynamic` without `vcs`: credits that this end grants to all channels together; at most 16383 are granted.",
			func(c *cbfcEntry) *int { return &c.pool }),
		scalars("lossless_vcs", whole[uint8](0, cbfc.VCs-1), 0, "", "`dynamic` without `vcs`: virtual channels that are lossless.",
			func(c *cbfcEntry, list []uint8) { c.lossless = list }),
	}
}

// channelFields is SAI's VIRTUAL_CHANNEL.
func channelFields() section[channelEntry] {
	return section[channelEntry]{
		required("index", whole[uint8](0, cbfc.VCs-1), "Number of the channel.",
			func(c *channelEntry) *uint8 { return &c.index }),
		value("lossless", boolean(), "false", "What this end sends on it needs credits, and this end grants credits for it.",
			func(c *channelEntry) *bool { return &c.lossless }),
		value("limit", creditLimit(), "auto",
			"Credits that this end grants for it. `auto`: the lossless channels share 1024 frames of 64 octets, 128 to 512 each.",
			func(c *channelEntry) *int { return &c.limit }),
		value("profile", nameOrNone(), "",
			"Name of the credit profile, for a partner that grants a total; empty = nothing reserved, and no limit on what is shared.",
			func(c *channelEntry) *string { return &c.profile }),
		value("weight", whole[uint8](1, 255), "1", "Share of its queue, in place of a scheduler with `dwrr`.",
			func(c *channelEntry) *uint8 { return &c.weight }),
		value("priority", whole[uint8](0, 9), "0", "Priority of its queue, in place of a scheduler.",
			func(c *channelEntry) *uint8 { return &c.priority }),
		value("llr", boolean(), "true", "Its frames are sent with LLR, if the link has that.",
			func(c *channelEntry) *bool { return &c.llr }),
	}
}
