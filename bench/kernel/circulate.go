package kernel

import "fmt"

// LoseEvery has Lose lose one data frame of so many, and no second one before
// Reflect has the first; 0 = none.
func (l *Load) LoseEvery(frames int) error {
	if err := l.objects.LoseEvery.Set(uint32(frames)); err != nil {
		return fmt.Errorf("tell the wire what to lose: %w", err)
	}
	return nil
}

// Absorb has Reflect keep what comes from now on.
func (l *Load) Absorb() error {
	if err := l.objects.Stop.Set(uint32(1)); err != nil {
		return fmt.Errorf("tell the host to keep frames: %w", err)
	}
	return nil
}

// Absorbed is how many frames it has kept.
func (l *Load) Absorbed() (frames uint64, err error) {
	err = l.objects.Absorbed.Get(&frames)
	return frames, err
}
