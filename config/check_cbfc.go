package config

import (
	"maps"
	"slices"

	"uelink/cbfc"
	"uelink/config/schema"
	"uelink/dataplane/netif"
	"uelink/dataplane/sched"
)

// Limits in chunks. A channel's limit needs as many chunks as frames of the least length fit in its credits: each
// frame takes a whole chunk.
const (
	autoChunks = 1024  // shared by the channels with limit auto
	autoLeast  = 128   // least share of a channel
	autoMost   = 512   // largest share of a channel
	portChunks = 16384 // of all channels of a port together
)

// checkCreditProfiles refuses shared_static_th in a profile whose threshold mode is not static, where it has no
// effect.
func (w checks) checkCreditProfiles(all map[string]cbfcProfile) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		th := schema.Join(schema.Join("cbfc_profiles", schema.Printable(name)), "shared_static_th")
		if all[name].mode != thresholdStatic && w.Has(th) {
			w.FailAt(th, "only a profile with threshold_mode: static has this key")
		}
	}
}

// checkCBFC checks section cbfc of a link, and fills the CBFC settings of the port from it.
func (w checks) checkCBFC(profiles map[string]cbfcProfile, p *portEntry, path string) {
	c, at := &p.cbfc, schema.Join(path, "cbfc")
	if c.mode == cbfcOff {
		return
	}
	if !p.frames.FCS && !w.Wrong(schema.Join(path, "fcs")) {
		w.FailAt(schema.Join(at, "mode"), "this needs fcs: true: a damaged frame may seem to be of another channel")
	}
	if c.cfMin > c.cfMax {
		w.FailAt(schema.Join(at, "cf_min_spacing"), "a least spacing of CF_Updates of %d octets is more than the largest, "+
			"cf_max_spacing: %d", c.cfMin, c.cfMax)
	}
	w.checkCreditKeys(p, at)
	w.checkNumbers(p, path)
	if w.Wrong(at) || w.Wrong(schema.Join(path, "chunk_size")) {
		return // a wrong key was reported already
	}
	p.frames.CBFC, p.frames.CBFCDynamic = c.settings(), c.mode == cbfcDynamic
	if len(c.channels) == 0 && c.mode == cbfcDynamic {
		p.offerAll()
		return
	}
	w.fillChannels(profiles, p, at)
	w.checkLimits(p, at)
	if s := &p.frames.CBFC; s.Limit == [cbfc.VCs]uint16{} {
		s.Total = 0 // no channel is lossless: nothing to grant
	}
}

// checkCreditKeys reports the keys of section cbfc that have no effect beside the section's other keys: keys of
// another mode, and a limit beside total_credits.
func (w checks) checkCreditKeys(p *portEntry, at string) {
	channels := w.Has(schema.Join(at, "vcs"))
	for _, f := range offerFields() {
		switch key := schema.Join(at, f.Key); {
		case !w.Has(key):
		case p.cbfc.mode != cbfcDynamic:
			w.FailAt(key, "this key needs mode: dynamic; in mode: static, list the virtual channels in vcs")
		case channels:
			w.FailAt(key, "vcs already sets this for each channel; for credits granted to all channels together, "+
				"write total_credits")
		}
	}
	total := schema.Join(at, "total_credits")
	if p.cbfc.mode == cbfcDynamic && !channels && w.Has(total) {
		w.FailAt(total, "without vcs, write credit_pool_size instead")
	}
	for i := range p.cbfc.channels {
		if limit := schema.Join(schema.Element(schema.Join(at, "vcs"), i), "limit"); p.cbfc.total > 0 && w.Has(limit) {
			w.FailAt(limit, "a limit has no effect where total_credits is granted to all channels together")
		}
	}
}

// checkNumbers checks that each virtual channel number of section cbfc is less than the port's number of VCs and
// used once. If the port has no key vcs, it gets as many VCs as the channels need.
func (w checks) checkNumbers(p *portEntry, path string) {
	c, f, at := &p.cbfc, &p.frames, schema.Join(path, "cbfc")
	if w.Wrong(schema.Join(path, "vcs")) {
		return
	}
	given := w.Has(schema.Join(path, "vcs"))
	short := c.mode == cbfcDynamic && !w.Has(schema.Join(at, "vcs")) // the short form: num_vcs in place of a list
	if short && !given {
		f.VCs = c.vcs
	} else if short && c.vcs > f.VCs {
		w.FailAt(schema.Join(at, "num_vcs"), "the port has %d virtual channels (vcs)", f.VCs)
	}
	for i, vc := range c.lossless {
		if int(vc) >= c.vcs && c.vcs > 0 {
			w.FailAt(schema.Element(schema.Join(at, "lossless_vcs"), i), "there are %d virtual channels, 0 to %d",
				c.vcs, c.vcs-1)
		}
	}
	first := map[uint8]int{}
	for i, vc := range c.channels {
		key := schema.Join(schema.Element(schema.Join(at, "vcs"), i), "index")
		before, twice := first[vc.index]
		switch {
		case w.Wrong(key):
			continue
		case twice:
			w.FailAt(key, "VC %d is already there (%s)", vc.index,
				w.Place(schema.Join(schema.Element(schema.Join(at, "vcs"), before), "index")))
		case given && int(vc.index) >= f.VCs:
			w.FailAt(key, "there are %d virtual channels (vcs), 0 to %d", f.VCs, f.VCs-1)
		case !given:
			f.VCs = max(f.VCs, int(vc.index)+1)
		}
		first[vc.index] = i
	}
}

// offerAll makes the channels of key lossless_vcs lossless, with credit_pool_size as the total of credits that the
// channels share. A port in mode dynamic without a list of channels is set up so.
func (p *portEntry) offerAll() {
	s := &p.frames.CBFC
	s.Lossless = bitmap[uint32](p.cbfc.lossless)
	for _, vc := range p.cbfc.lossless {
		s.Total = uint16(min(p.cbfc.pool, cbfc.MaxLimit))
		s.Limit[vc] = s.Total
	}
}

// fillChannels sets, for each channel in the list of section cbfc, the loss mode, credit limit, credit profile,
// queue bound and LLR in the port's settings.
func (w checks) fillChannels(profiles map[string]cbfcProfile, p *portEntry, at string) {
	s := &p.frames.CBFC
	s.Total = uint16(p.cbfc.total)
	auto := []uint8{} // channels whose limit is a share of autoChunks
	for i, c := range p.cbfc.channels {
		channelPath, bit := schema.Element(schema.Join(at, "vcs"), i), uint32(1)<<c.index
		if c.lossless {
			s.Lossless |= bit
		}
		if !c.llr {
			p.frames.NoLLR |= bit
		}
		switch {
		case s.Total > 0 && c.lossless:
			s.Limit[c.index] = s.Total
		case c.limit != autoLimit:
			s.Limit[c.index] = uint16(c.limit)
		case c.lossless || w.Has(schema.Join(channelPath, "limit")):
			auto = append(auto, c.index)
		}
		w.fillProfile(profiles, p, c, schema.Join(channelPath, "profile"))
		w.fillQueue(p, c, schema.Join(channelPath, "queue_octets"))
	}
	for _, vc := range auto {
		chunks := min(max(autoChunks/len(auto), autoLeast), autoMost)
		s.Limit[vc] = uint16(min(chunks*s.Size.Credits(0), cbfc.MaxLimit))
	}
}

// fillProfile sets the credit profile that a channel names, if any. It refuses an unknown profile, and one that limits
// the channel to fewer credits than a frame of the largest size costs.
func (w checks) fillProfile(profiles map[string]cbfcProfile, p *portEntry, c channelEntry, key string) {
	profile, ok := profiles[c.profile]
	switch {
	case c.profile == "":
		return
	case !ok:
		w.FailAt(key, "there is no credit profile %q", c.profile)
		return
	}
	s := &p.frames.CBFC
	s.Profile[c.index] = profile.settings()
	octets, cost := p.largest()
	most, limited := int(profile.reserved)+int(profile.static), profile.mode == thresholdNone || profile.static > 0
	if limited && most < cost {
		w.FailAt(key, "profile %q lets the channel use %d credits: a frame of %d octets costs %d", c.profile,
			most, octets, cost)
	}
}

// fillQueue sets how many octets of frames may wait for a channel. It reports a bound of a lossless channel, which
// drops nothing, and a bound shorter than a frame.
func (w checks) fillQueue(p *portEntry, c channelEntry, key string) {
	octets, _ := p.largest()
	switch {
	case c.octets == autoOctets:
	case c.lossless:
		w.FailAt(key, "VC %d is lossless and never drops frames: the frames that wait are limited at the port where "+
			"they arrive: on a link by limit, on an edge by pfc.xoff and pfc.headroom, else by rx_ring_size", c.index)
	case c.octets < int64(octets):
		w.FailAt(key, "%d octets are too few: a frame of %d octets could never wait", c.octets, octets)
	default:
		p.frames.QueueOctets[c.index] = int(c.octets)
	}
}

// largest returns the octets of the longest frame that a chunk holds, and the credits it costs.
func (p *portEntry) largest() (octets, credits int) {
	octets = p.frames.ChunkSize
	if octets == 0 {
		octets = netif.LargeChunk
	}
	return octets, p.frames.CBFC.Size.Credits(octets)
}

// checkLimits checks that the credits granted to each channel pay for the largest frame, and that the port's buffer
// holds them all.
// Clauses: UE-LINK/overview.8.
func (w checks) checkLimits(p *portEntry, at string) {
	s := &p.frames.CBFC
	octets, cost := p.largest()
	const short = "%d credits are too few: a frame of %d octets costs %d"
	if s.Total > 0 && int(s.Total) < cost {
		w.FailAt(schema.Join(at, "total_credits"), short, s.Total, octets, cost)
	}
	chunks, reserved, total := 0, 0, cbfc.MaxLimit
	for i, c := range p.cbfc.channels {
		limit := int(s.Limit[c.index])
		if s.Total == 0 && limit > 0 && limit < cost {
			w.FailAt(schema.Join(schema.Element(schema.Join(at, "vcs"), i), "limit"), short, limit, octets, cost)
		}
		chunks += limit / s.Size.Credits(0)
		reserved += int(s.Profile[c.index].Reserved)
	}
	if s.Total > 0 {
		chunks, total = 0, int(s.Total)
	}
	if chunks > portChunks {
		w.FailAt(schema.Join(at, "vcs"),
			"the limits of all channels allow %d frames of 64 octets (credits of such a frame: %d), each in a chunk of "+
				"its own, and a port has %d chunks: lower the limits", chunks, s.Size.Credits(0), portChunks)
	}
	if reserved > total {
		w.FailAt(schema.Join(at, "vcs"), "the credit profiles reserve %d credits together, and at most %d can be reserved",
			reserved, total)
	}
}

// checkChannelSchedulers applies the scheduler weight and priority written in the section cbfc for a channel to
// the channel's queue.
func (w checks) checkChannelSchedulers(p *portEntry, path string, queues []sched.QueueSettings, ranks []int) {
	if p.cbfc.mode == cbfcOff {
		return
	}
	for i, c := range p.cbfc.channels {
		channelPath := schema.Element(schema.Join(path, "cbfc.vcs"), i)
		key := schema.Join(channelPath, "weight")
		if !w.Has(key) {
			key = schema.Join(channelPath, "priority")
		}
		if !w.Has(key) || int(c.index) >= len(queues) {
			continue
		}
		covers := func(pair schema.Pair[string]) bool { return pair.First <= int(c.index) && int(c.index) <= pair.Last }
		if at := slices.IndexFunc(p.qos.schedulers, covers); at >= 0 {
			w.FailAt(key, "VC %d has a scheduler in line %d already: remove this key, or that scheduler", c.index,
				p.qos.schedulers[at].At.Line)
			continue
		}
		s := schedulerEntry{kind: dwrr, weight: c.weight, priority: c.priority}
		queues[c.index], ranks[c.index] = s.queue(int(c.index))
	}
}
