package traffic

import (
	"context"
	"errors"
	"time"

	"uelink/dataplane/frame"
	"uelink/wire"
)

// Run sends the traffic of c between two interfaces, waits until all frames have arrived or are lost, and returns
// the counts. After an error during the run, the result so far is returned with the error. progress may be nil;
// Run calls it a few times a second, on the goroutine that moves the frames. When ctx ends, Run sends no more
// frames and waits for frames in flight.
//
// Errors: *Error before the run; then an error that names a direction without arrivals, or a lost interface. Lost
// frames are no error: see Result.Clean.
func Run(ctx context.Context, c Config, progress func(Progress)) (r Result, err error) {
	if err := c.Validate(); err != nil {
		return Result{}, usageError(err)
	}
	ends, err := c.open()
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, closeAll(ends)) }()
	start := time.Now()
	clock := func() wire.Time { return wire.Time(time.Since(start)) }
	devices := [2][]frame.Device{ends[0].devices, ends[1].devices}
	e, err := newEngine(c, devices, min(ends[0].mtu, ends[1].mtu), clock)
	if err != nil {
		return Result{}, err
	}
	return e.run(ctx, progress)
}
