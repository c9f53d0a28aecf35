package main

// try sends frames at a rate. It returns the rate of delivered frames, and whether few enough were lost.
type try func(rate float64) (came float64, passed bool, err error)

// highest searches the highest rate at which try reports success, by bisection between 0 and top in a number of
// steps. It returns the highest rate of delivered frames of a successful try; 0 if none succeeded.
func highest(top float64, steps int, try try) (best float64, err error) {
	low, high := 0.0, top
	for range steps {
		rate := (low + high) / 2
		came, passed, err := try(rate)
		switch {
		case err != nil:
			return best, err
		case passed:
			low, best = rate, max(best, came)
		default:
			high = rate
		}
	}
	return best, nil
}
