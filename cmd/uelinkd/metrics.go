package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.uber.org/zap"

	"uelink/control/metrics"
	"uelink/internal/bounded"
)

// listenMetrics opens the listener of the metrics at the address of key metrics.listen, if the key is set.
func (d *daemon) listenMetrics() (err error) {
	if at := d.config.Metrics.Listen; at != "" {
		d.scrapes, err = metrics.Listen(at)
	}
	return err
}

// closeMetrics closes the listener of the metrics, before the server of metrics was started.
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
	d.metrics = metrics.NewServer(d.frames, d.lldp, func() uint64 { return d.logs.spool.State().Lost }, log)
	d.servers.Go(func() {
		err := bounded.Serve(d.metrics, d.scrapes, metrics.MostConnections)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		} else {
			err = fmt.Errorf("metrics on %s: %w", d.scrapes.Addr(), err)
		}
		d.failed <- err
	})
	log.Info("serving", zap.String("url", fmt.Sprintf("http://%s/metrics", d.scrapes.Addr())))
}

// stopMetrics stops the server of the metrics: running scrapes may finish until ctx ends.
func (d *daemon) stopMetrics(ctx context.Context) error {
	if d.metrics == nil {
		return nil
	}
	if err := d.metrics.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("metrics: stop: %w", err), d.metrics.Close())
	}
	return nil
}
