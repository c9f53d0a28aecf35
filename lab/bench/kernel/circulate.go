package kernel

import "fmt"

// Absorb makes the XDP program that Reflect attached keep every frame from now on instead of sending it back, so
// that circulating frames come to rest.
func (l *Load) Absorb() error {
	if err := l.objects.Stop.Set(uint32(1)); err != nil {
		return fmt.Errorf("stop the circulation of frames at a host's XDP program: %w", err)
	}
	return nil
}

// Absorbed returns how many frames the program attached by Reflect has kept since Absorb.
func (l *Load) Absorbed() (frames uint64, err error) {
	err = l.objects.Absorbed.Get(&frames)
	return frames, err
}
