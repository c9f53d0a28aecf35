package e2e

import "testing"

func TestNumberedFramesCrossADirectLink(t *testing.T) {
	top := direct(t)
	top.daemons(settings{})
	c := top.between()
	c.Frames = 100_000
	untouched(t, c)
}
