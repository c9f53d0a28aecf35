package metrics

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"uelink/control/api"
)

// Bounds on the resources of a scraper.
const (
	headerTimeout = 5 * time.Second
	scrapeTimeout = 10 * time.Second
	scrapesAtOnce = 4
)

// MostConnections is the number of connections of scrapers that are open at a time.
const MostConnections = 16

// Listen opens a TCP listener at the address of key metrics.listen.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w: set another metrics.listen", err)
	}
	return l, nil
}

// Daemon is what the metrics say of the daemon itself.
type Daemon struct {
	LogLost  func() uint64   // returns the number of log lines that were not written
	Refused  func() bool     // reports whether the last reload was refused
	Troubles func() []string // returns the troubles of the daemon itself, those of api.Status

	Unmet func() []api.Unmet // returns all that is wanted and not in force, as api.Status has it
}

// NewServer returns an HTTP server of GET /metrics, not started yet: the daemon itself, the ports and bridges of a data
// plane, LLDP and DCBX, the Go runtime and the process.
func NewServer(source DataPlane, lldp LLDP, daemon Daemon, log *zap.Logger) *http.Server {
	version := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "uelink_build_info", Help: "Version of uelinkd, as a label.",
		ConstLabels: prometheus.Labels{"version": api.Version()},
	})
	version.Set(1)
	lost := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "uelink_log_lines_lost_total",
		Help: "Lines of the log not written: the reader of standard error stood still or was gone.",
	}, func() float64 { return float64(daemon.LogLost()) })
	troubles := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "uelink_daemon_troubles", Help: "Problems of the daemon itself, which uelink status names.",
	}, func() float64 { return float64(len(daemon.Troubles())) })
	reloaded := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "uelink_config_last_reload_successful",
		Help: "1 if the configuration file is in force as it was last read, 0 if the last reload was refused.",
	}, func() float64 {
		if daemon.Refused() {
			return 0
		}
		return 1
	})
	registry := prometheus.NewRegistry()
	registry.MustRegister(version, lost, troubles, reloaded, collector{source, lldp, daemon.Unmet},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: zap.NewStdLog(log), MaxRequestsInFlight: scrapesAtOnce,
		DisableCompression: true, // gzip took a quarter of the CPU time of scrapes and pages
	}))
	return &http.Server{
		Handler: mux, ErrorLog: zap.NewStdLog(log),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: scrapeTimeout, WriteTimeout: scrapeTimeout,
	}
}
