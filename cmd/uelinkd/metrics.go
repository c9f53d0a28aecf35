package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control/metrics"
	"uelink/internal/bounded"
)

// listenMetrics opens the listener of the metrics at the address of key metrics.listen, if the key is set. l is the
// listener that another process hands over, or nil.
func (d *daemon) listenMetrics(l net.Listener) (err error) {
	d.http.scrapes, err = metricsListener(d.config, l, d.log.Named("metrics"))
	return err
}

// metricsListener returns the listener of the metrics; nil if they are off. l is the open listener that another process
// hands over, nil if there is none.
func metricsListener(c *config.Config, l net.Listener, log *zap.Logger) (*lateListener, error) {
	if c.Metrics.Listen == "" && l == nil {
		return nil, nil
	}
	return listenLate(&lateListener{
		service: "metrics are", key: "metrics.listen", at: c.Metrics.Listen, listener: l, open: metrics.Listen, log: log,
		serving: func(at net.Addr) { log.Info("serving", zap.String("url", fmt.Sprintf("http://%s/metrics", at))) },
	})
}

// startMetrics starts the server of the metrics if the configuration has one. Its end by an error ends the daemon.
func (d *daemon) startMetrics() {
	if d.http.scrapes == nil {
		return
	}
	daemon := metrics.Daemon{
		LogLost: func() uint64 { return d.logs.spool.State().Lost }, Troubles: d.troubles,
		Refused: func() bool { return unmetConfiguration(d.file, d.control.LastReload()).What != "" }, Unmet: d.unmet,
	}
	d.http.metrics = metrics.NewServer(d.frames, d.lldp, daemon, d.log.Named("metrics"))
	d.http.running.Go(func() {
		err := bounded.Serve(d.http.metrics, d.http.scrapes, metrics.MostConnections)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		} else {
			err = fmt.Errorf("metrics on %s: %w", d.http.scrapes.Addr(), err)
		}
		d.failed <- err
	})
}

// stopMetrics stops the server of the metrics: running scrapes may finish until ctx ends.
func (d *daemon) stopMetrics(ctx context.Context) error {
	if d.http.metrics == nil {
		return nil
	}
	if err := d.http.metrics.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("metrics: stop: %w", err), d.http.metrics.Close())
	}
	return nil
}
