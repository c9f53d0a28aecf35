package cbfc

// Channel returns the phase of a channel's sender, why the channel is not lossless, and its counters: the part of
// State that is cheap enough for every round.
func (p *Port) Channel(vc uint8) (Phase, Failure, *Counters) {
	v := &p.Tx.vc[vc&(VCs-1)]
	return v.channel.phase, v.channel.failure, &v.counters
}
