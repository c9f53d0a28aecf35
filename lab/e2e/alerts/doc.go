// Package alerts tests the alerts and the dashboard with a real Prometheus that scrapes two daemons.
package alerts
