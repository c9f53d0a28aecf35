package config

import (
	"maps"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane/netif"
	"uelink/dataplane/sched"
)

// A limit is worth as many chunks as frames of the least length, each of which takes a whole one.
const (
	autoChunks = 1024  // that the channels with limit auto share
	autoLeast  = 128   // but one has at least so many
	autoMost   = 512   // and at most
	portChunks = 16384 // that all channels of a port have
)

// checkCreditProfiles refuses a threshold where it has no effect.
func (w *walk) checkCreditProfiles(all map[string]cbfcProfile) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		th := join(join("cbfc_profiles", printable(name)), "shared_static_th")
		if all[name].mode != thresholdStatic && w.has(th) {
			w.failAt(th, "only a profile with threshold_mode: static has this key")
		}
	}
}

// checkCBFC puts together the credits of a link.
func (w *walk) checkCBFC(profiles map[string]cbfcProfile, p *portEntry, path string) {
	c, at := &p.cbfc, join(path, "cbfc")
	if c.mode == cbfcOff {
		return
	}
	if !p.frames.FCS && !w.wrong(join(path, "fcs")) {
		w.failAt(join(at, "mode"), "this needs fcs: true: a damaged frame may seem to be of another channel")
	}
	if c.cfMin > c.cfMax {
		w.failAt(join(at, "cf_min_spacing"), "%d octets are more than cf_max_spacing, which is %d", c.cfMin, c.cfMax)
	}
	w.checkCreditKeys(p, at)
	w.checkNumbers(p, path)
	if w.wrong(at) || w.wrong(join(path, "chunk_size")) {
		return // not to be told twice
	}
	p.frames.CBFC, p.frames.CBFCDynamic = c.settings(), c.mode == cbfcDynamic
	if len(c.channels) == 0 && c.mode == cbfcDynamic {
		p.offerAll()
		return
	}
	w.fillChannels(profiles, p, at)
	w.checkLimits(p, at)
	if s := &p.frames.CBFC; s.Limit == [cbfc.VCs]uint16{} {
		s.Total = 0 // there is nobody to grant it to
	}
}

// checkCreditKeys refuses keys beside others that say the same.
func (w *walk) checkCreditKeys(p *portEntry, at string) {
	channels := w.has(join(at, "vcs"))
	for _, f := range offerFields() {
		switch key := join(at, f.key); {
		case !w.has(key):
		case p.cbfc.mode != cbfcDynamic:
			w.failAt(key, "only mode: dynamic has this key: write vcs")
		case channels:
			w.failAt(key, "vcs is there already, and says it channel by channel; of all credits together total_credits says it")
		}
	}
	total := join(at, "total_credits")
	if p.cbfc.mode == cbfcDynamic && !channels && w.has(total) {
		w.failAt(total, "without vcs this is credit_pool_size")
	}
	for i := range p.cbfc.channels {
		if limit := join(element(join(at, "vcs"), i), "limit"); p.cbfc.total > 0 && w.has(limit) {
			w.failAt(limit, "a limit has no effect where total_credits is granted to all channels together")
		}
	}
}

// checkNumbers: each channel is there, once. Where the port does not say how many it has, it
// has those that are needed.
func (w *walk) checkNumbers(p *portEntry, path string) {
	c, f, at := &p.cbfc, &p.frames, join(path, "cbfc")
	if w.wrong(join(path, "vcs")) {
		return
	}
	given := w.has(join(path, "vcs"))
	short := c.mode == cbfcDynamic && !w.has(join(at, "vcs"))
	if short && !given {
		f.VCs = c.vcs
	} else if short && c.vcs > f.VCs {
		w.failAt(join(at, "num_vcs"), "the port has %d virtual channels (vcs)", f.VCs)
	}
	for i, vc := range c.lossless {
		if int(vc) >= c.vcs && c.vcs > 0 {
			w.failAt(element(join(at, "lossless_vcs"), i), "there are %d virtual channels, 0 to %d", c.vcs, c.vcs-1)
		}
	}
	first := map[uint8]int{}
	for i, vc := range c.channels {
		key := join(element(join(at, "vcs"), i), "index")
		before, twice := first[vc.index]
		switch {
		case w.wrong(key):
			continue
		case twice:
			w.failAt(key, "VC %d is already there (line %d)", vc.index,
				w.where(join(element(join(at, "vcs"), before), "index")).line)
		case given && int(vc.index) >= f.VCs:
			w.failAt(key, "there are %d virtual channels (vcs), 0 to %d", f.VCs, f.VCs-1)
		case !given:
			f.VCs = max(f.VCs, int(vc.index)+1)
		}
		first[vc.index] = i
	}
}

// offerAll is mode dynamic by its short keys: a total for all channels.
func (p *portEntry) offerAll() {
	s := &p.frames.CBFC
	s.Lossless = bitmap[uint32](p.cbfc.lossless)
	for _, vc := range p.cbfc.lossless {
		s.Total = uint16(min(p.cbfc.pool, cbfc.MaxLimit))
		s.Limit[vc] = s.Total
	}
}

// fillChannels takes what each channel says.
func (w *walk) fillChannels(profiles map[string]cbfcProfile, p *portEntry, at string) {
	s := &p.frames.CBFC
	s.Total = uint16(p.cbfc.total)
	auto := []uint8{}
	for i, c := range p.cbfc.channels {
		here, bit := element(join(at, "vcs"), i), uint32(1)<<c.index
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
		case c.lossless || w.has(join(here, "limit")):
			auto = append(auto, c.index)
		}
		w.fillProfile(profiles, p, c, join(here, "profile"))
	}
	for _, vc := range auto {
		chunks := min(max(autoChunks/len(auto), autoLeast), autoMost)
		s.Limit[vc] = uint16(min(chunks*s.Size.Credits(0), cbfc.MaxLimit))
	}
}

// fillProfile takes the profile of a channel, with which a frame of the largest size has to be
// able to leave.
func (w *walk) fillProfile(profiles map[string]cbfcProfile, p *portEntry, c channelEntry, key string) {
	one, there := profiles[c.profile]
	switch {
	case c.profile == "":
		return
	case !there:
		w.failAt(key, "there is no credit profile %q", c.profile)
		return
	}
	s := &p.frames.CBFC
	s.Profile[c.index] = one.settings()
	octets, cost := p.largest()
	if most := int(one.reserved) + int(one.static); (one.mode == thresholdNone || one.static > 0) && most < cost {
		w.failAt(key, "profile %q lets the channel use %d credits: a frame of %d octets costs %d", c.profile,
			most, octets, cost)
	}
}

// largest is the longest frame that there may be, and what it costs.
func (p *portEntry) largest() (octets, credits int) {
	octets = p.frames.ChunkSize
	if octets == 0 {
		octets = netif.LargeChunk
	}
	return octets, p.frames.CBFC.Size.Credits(octets)
}

// checkLimits: what this end grants is enough for a frame, and its buffer holds it.
func (w *walk) checkLimits(p *portEntry, at string) {
	s := &p.frames.CBFC
	octets, cost := p.largest()
	const short = "%d credits are too few: a frame of %d octets costs %d"
	if s.Total > 0 && int(s.Total) < cost {
		w.failAt(join(at, "total_credits"), short, s.Total, octets, cost)
	}
	chunks, reserved, total := 0, 0, cbfc.MaxLimit
	for i, c := range p.cbfc.channels {
		limit := int(s.Limit[c.index])
		if s.Total == 0 && limit > 0 && limit < cost {
			w.failAt(join(element(join(at, "vcs"), i), "limit"), short, limit, octets, cost)
		}
		chunks += limit / s.Size.Credits(0)
		reserved += int(s.Profile[c.index].Reserved)
	}
	if s.Total > 0 {
		chunks, total = 0, int(s.Total)
	}
	if chunks > portChunks {
		w.failAt(join(at, "vcs"), "the limits let in %d frames of 64 octets (credits of one: %d), each of which "+
			"takes a chunk: "+
			"a port has %d chunks for them", chunks, s.Size.Credits(0), portChunks)
	}
	if reserved > total {
		w.failAt(join(at, "vcs"), "the profiles reserve %d credits: there are at most %d", reserved, total)
	}
}

// checkChannelSchedulers gives channels the weight and the priority that stand beside their
// credits.
func (w *walk) checkChannelSchedulers(p *portEntry, path string, queues []sched.QueueSettings, ranks []int) {
	if p.cbfc.mode == cbfcOff {
		return
	}
	for i, c := range p.cbfc.channels {
		here := element(join(path, "cbfc.vcs"), i)
		key := join(here, "weight")
		if !w.has(key) {
			key = join(here, "priority")
		}
		if !w.has(key) || int(c.index) >= len(queues) {
			continue
		}
		covers := func(one pair[string]) bool { return one.first <= int(c.index) && int(c.index) <= one.last }
		if at := slices.IndexFunc(p.qos.schedulers, covers); at >= 0 {
			w.failAt(key, "VC %d has a scheduler in line %d: one of the two is enough", c.index, p.qos.schedulers[at].at.line)
			continue
		}
		s := schedulerEntry{kind: dwrr, weight: c.weight, priority: c.priority}
		queues[c.index], ranks[c.index] = s.queue(int(c.index))
	}
}
