package fault

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string // the beginning of the message, "" for none
	}{
		{Config{}, ""},
		{Config{Loss: 1, Corrupt: 1, Duplicate: 1, Reorder: 1, Burst: 1}, ""},
		{Config{Loss: 0.5, Burst: 8, Delay: MaxDelay, Jitter: MaxDelay, RateBPS: 1000}, ""},
		{Config{Loss: 1.01}, "loss 1.01"},
		{Config{Loss: -0.1}, "loss -0.1"},
		{Config{Corrupt: math.NaN()}, "corrupt NaN"},
		{Config{Duplicate: 2}, "duplicate 2"},
		{Config{Reorder: math.Inf(1)}, "reorder +Inf"},
		{Config{Burst: 0.5}, "burst 0.5"},
		{Config{Burst: math.NaN()}, "burst NaN"},
		{Config{Loss: 1, Burst: 8}, "loss 1 is not possible with burst 8"},
		{Config{Loss: 0.9, Burst: 8}, "loss 0.9 is not possible"},
		{Config{Delay: -time.Millisecond}, "delay -1ms"},
		{Config{Jitter: time.Minute}, "jitter 1m0s"},
		{Config{RateBPS: 999}, "rate"},
	} {
		err := c.config.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.config, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%+v: got %v, want %s…", c.config, err, c.want)
		}
	}
}
