package kernel

import "fmt"

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
