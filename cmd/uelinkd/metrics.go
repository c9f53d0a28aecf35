package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.uber.org/zap"

	"uelink/control/metrics"
)

// listenMetrics opens the address of metrics.listen, if it is set.
func (d *daemon) listenMetrics() (err error) {
	if at := d.config.Metrics.Listen; at != "" {
		d.scrapes, err = metrics.Listen(at)
	}
	return err
}

// closeMetrics closes the address before anything was served on it.
func (d *daemon) closeMetrics() error {
	if d.scrapes == nil {
		return nil
	}
	return d.scrapes.Close()
}

func (d *daemon) startMetrics() {
	if d.scrapes == nil {
		return
	}
	log := d.log.Named("metrics")
	d.metrics = metrics.NewServer(d.frames, d.lldp, log)
	d.servers.Go(func() {
		err := d.metrics.Serve(d.scrapes)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		} else {
			err = fmt.Errorf("metrics on %s: %w", d.scrapes.Addr(), err)
		}
		d.failed <- err
	})
	log.Info("serving", zap.String("url", fmt.Sprintf("http://%s/metrics", d.scrapes.Addr())))
}

// stopMetrics lets scrapes finish until ctx ends.
func (d *daemon) stopMetrics(ctx context.Context) error {
	if d.metrics == nil {
		return nil
	}
	if err := d.metrics.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("metrics: stop: %w", err), d.metrics.Close())
	}
	return nil
}
