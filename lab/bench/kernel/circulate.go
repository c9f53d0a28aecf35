package kernel

import "fmt"

// LoseEvery makes Lose drop one of frames data frames; 0 = none. It drops no second frame before Reflect has received
// the first.
func (l *Load) LoseEvery(frames int) error {
	if err := l.objects.LoseEvery.Set(uint32(frames)); err != nil {
		return fmt.Errorf("tell the wire what to lose: %w", err)
	}
	return nil
}

// Absorb makes Reflect keep all frames from now on.
func (l *Load) Absorb() error {
	if err := l.objects.Stop.Set(uint32(1)); err != nil {
		return fmt.Errorf("tell the host to keep frames: %w", err)
	}
	return nil
}

// Absorbed returns how many frames Reflect has kept.
func (l *Load) Absorbed() (frames uint64, err error) {
	err = l.objects.Absorbed.Get(&frames)
	return frames, err
}
