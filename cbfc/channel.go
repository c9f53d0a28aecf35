package cbfc

// Channel is where the sender of a channel is, why it is not lossless, and what was counted of the
// channel: what of State can be asked for in every round.
func (p *Port) Channel(vc uint8) (Phase, Failure, *Counters) {
	v := &p.Tx.vc[vc&(VCs-1)]
	return v.channel.phase, v.channel.failure, &v.counters
}
