package main

import "uelink/lab/bench/report"

// turn is the result of a contestant in a round, with its regime.
type turn[W any] struct {
	did W
	in  regime
}

// turns is the results of contestants side by side: by contestant, then by round.
type turns[W any] [][]turn[W]

// fewestRounds is the least number of rounds that count for a row; with fewer, all rounds count.
const fewestRounds = 3

// order returns the numbers from 0 to contestants - 1 in the order in which they are measured in a round. Each
// round begins with another number.
func order(contestants, round int) []int {
	list := make([]int, contestants)
	for i := range list {
		list[i] = (i + round) % contestants
	}
	return list
}

// measured measures a contestant in a round.
type measured[W any] func(contestant, round int) (W, error)

// inTurns calls measure for each contestant (by its number, from 0) in each round, and returns the results by
// contestant and round, each with its regime (how far apart the CPUs were). It adds up to half as many rounds
// while too many results are not of the regime of most.
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

// short reports whether more rounds are needed, because any contestant has at most two thirds of its rounds in
// this regime (distance between the CPUs).
func (t turns[W]) short(in regime, rounds int) bool {
	for i := range t {
		if 3*len(t.within(in, i)) <= 2*rounds {
			return true
		}
	}
	return false
}

// within returns the numbers of the rounds in which all given contestants were measured in a regime (distance of
// the CPUs); none for regime changed.
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

// count returns the numbers of the rounds that count in a comparison of contestants: the rounds measured in the regime,
// or all rounds if those are too few. astray reports whether those were too few.
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

// values returns a figure, computed by figure from a result, of contestant i for each of the given rounds.
func (t turns[W]) values(i int, rounds []int, figure func(W) float64) (list []float64) {
	for _, round := range rounds {
		list = append(list, figure(t[i][round].did))
	}
	return list
}

// windows returns a table cell with the number of rounds; it has a mark if astray: if they are not all of the
// prevailing regime.
func windows(rounds []int, astray bool) any {
	if astray {
		return report.Marked{Figure: len(rounds)}
	}
	return len(rounds)
}

// compare returns the cells of a comparison of contestants i and other: the median of a rate of i, in millions a
// second, the median of its ratios to the rate of other in the same round, and the quartiles of these ratios.
func compare[W any](t turns[W], in regime, i, other int, figure func(W) float64) []any {
	rounds, _ := t.count(in, i, other)
	rate := t.values(i, rounds, figure)
	to := ratios(rate, t.values(other, rounds, figure))
	return []any{median(rate) / 1e6, median(to), quartiles(to)}
}
