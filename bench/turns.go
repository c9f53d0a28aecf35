package main

import "uelink/bench/report"

// turn is what a contestant did in a round, and in which regime.
type turn[W any] struct {
	did W
	in  regime
}

// turns is what contestants did side by side: by contestant, then by round.
type turns[W any] [][]turn[W]

// fewestRounds is how many rounds of a row have to count, or all do.
const fewestRounds = 3

// order is the order of contestants in a round: each is the first in its turn, so that none
// always comes after the same one.
func order(contestants, round int) []int {
	list := make([]int, contestants)
	for i := range list {
		list[i] = (i + round) % contestants
	}
	return list
}

// measured is what a contestant did in a round.
type measured[W any] func(contestant, round int) (W, error)

// inTurns measures contestants in rounds. Half as many rounds more are made while too many
// windows are of another regime than most.
func inTurns[W any](s *session, contestants, rounds int, measure measured[W]) (turns[W], error) {
	t := make(turns[W], contestants)
	for round := 0; round < rounds || round < rounds+rounds/2 && t.short(s.cores.prevailing(), rounds); round++ {
		for _, i := range order(contestants, round) {
			if err := s.Err(); err != nil {
				return t, err
			}
			var did W
			in, err := s.cores.measure(func() (err error) { did, err = measure(i, round); return err })
			if err != nil {
				return t, err
			}
			t[i] = append(t[i], turn[W]{did, in})
		}
	}
	return t, nil
}

// short tells whether a contestant lacks a third of its rounds, or more.
func (t turns[W]) short(in regime, rounds int) bool {
	for i := range t {
		if 3*len(t.within(in, i)) <= 2*rounds {
			return true
		}
	}
	return false
}

// within is the rounds in which all of some contestants were in a regime; it is none if they
// changed.
func (t turns[W]) within(in regime, contestants ...int) (rounds []int) {
	for round := range t[contestants[0]] {
		all := in != changed
		for _, i := range contestants {
			all = all && t[i][round].in == in
		}
		if all {
			rounds = append(rounds, round)
		}
	}
	return rounds
}

// count is the rounds that count where contestants are compared: those in the regime, or all
// if these are too few; then astray is true.
func (t turns[W]) count(in regime, contestants ...int) (rounds []int, astray bool) {
	if rounds = t.within(in, contestants...); len(rounds) >= min(fewestRounds, len(t[contestants[0]])) {
		return rounds, false
	}
	rounds = nil
	for round := range t[contestants[0]] {
		rounds = append(rounds, round)
	}
	return rounds, true
}

// values is a figure of a contestant in each of some rounds.
func (t turns[W]) values(i int, rounds []int, of func(W) float64) (list []float64) {
	for _, round := range rounds {
		list = append(list, of(t[i][round].did))
	}
	return list
}

// windows is how many rounds count, for a table.
func windows(rounds []int, astray bool) any {
	if astray {
		return report.Marked{Figure: len(rounds)}
	}
	return len(rounds)
}
