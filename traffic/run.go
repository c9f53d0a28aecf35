package traffic

import (
	"context"
	"errors"
	"time"

	"uelink/dataplane/frame"
)

// Run sends what c says over two interfaces and returns what became of it; when
// it could begin, also together with an error. progress, which may be nil, is
// called a few times a second, on the goroutine that moves the frames. When ctx
// ends, nothing more is sent, and what is on its way is waited for.
//
// Errors: *Error before the beginning; then one that names a direction in which
// nothing arrived, or an interface that has gone. Whether all was delivered is
// for the result to say.
func Run(ctx context.Context, c Config, progress func(Progress)) (r Result, err error) {
	if err := c.Validate(); err != nil {
		return Result{}, usageError(err)
	}
	ends, err := c.take()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, closeAll(ends)) }()
	start := time.Now()
	clock := func() int64 { return int64(time.Since(start)) }
	devices := [2][]frame.Device{ends[0].devices, ends[1].devices}
	e, err := newEngine(c, devices, min(ends[0].mtu, ends[1].mtu), clock)
	if err != nil {
		return Result{}, err
	}
	return e.run(ctx, progress)
}
