package sched

import "uelink/internal/snapshot"

// PassState saves to snapshot to, or restores from it, the settings of the queues, with groups as ranks, the rounds
// under way and the token bucket.
func (s *Scheduler) PassState(to *snapshot.State) {
	group := s.ranks()
	snapshot.Numbers(to, "group", group[:])
	snapshot.Numbers(to, "weight", s.weight[:])
	if to.Restoring() {
		var settings Settings
		for q := range settings.Queues {
			to.Check(group[q] < Queues && s.weight[q] > 0, "queue %d: group %d, weight %d", q, group[q], s.weight[q])
			settings.Queues[q] = QueueSettings{Group: group[q], Weight: s.weight[q]}
		}
		*s = New(settings)
	}
	choice := s.choice + 1 // above 0, because a missing number is restored as 0: that is refused
	snapshot.Number(to, "choice", &choice)
	s.choice = choice - 1
	to.Check(s.choice < Queues || s.choice == noQueue, "queue %d was chosen", s.choice)
	s.passRounds(to)
	snapshot.Numbers(to, "credit", s.credit[:])
	snapshot.Number(to, "length", &s.length)
	to.Check(s.length >= 1<<maxClass-1 && s.length < 1<<32, "the longest frame has %d octets: out of range", s.length)
	to.Group("bucket", s.bucket.passState)
}

// ranks returns the rank of each queue's group, 0 for the group served last.
func (s *Scheduler) ranks() (group [Queues]uint8) {
	for i := range s.groups {
		for q := range group {
			if s.rounds[i].queues>>q&1 != 0 {
				group[q] = uint8(s.groups - 1 - i)
			}
		}
	}
	return group
}

// passRounds saves the position in the round (whose turn, and how much of it is left) of each group of queues to a
// snapshot, or restores it.
func (s *Scheduler) passRounds(to *snapshot.State) {
	var turn, shift [Queues]uint8
	for i := range s.rounds {
		turn[i], shift[i] = s.rounds[i].turn, s.rounds[i].shift
	}
	snapshot.Numbers(to, "turn", turn[:])
	snapshot.Numbers(to, "shift", shift[:])
	for i := range s.rounds {
		s.rounds[i].turn, s.rounds[i].shift = turn[i], shift[i]
		to.Check(turn[i] < Queues && shift[i] < 64, "turn %d, shift %d", turn[i], shift[i])
	}
}

// passState saves to snapshot s, or restores from it, the token bucket of the port's rate limit.
func (b *bucket) passState(s *snapshot.State) {
	snapshot.Number(s, "rate", &b.rate)
	snapshot.Number(s, "depth", &b.depth)
	snapshot.Number(s, "full", &b.full)
	snapshot.Number(s, "part", &b.part)
	snapshot.Number(s, "now", &b.now)
	s.Check(b.depth >= 0 && (b.rate == 0 || b.part < b.rate), "depth %d, part %d", b.depth, b.part)
}
