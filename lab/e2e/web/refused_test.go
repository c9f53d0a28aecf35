package web

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// wantedSeries is a series of the metric of which the alert is, and its value.
var wantedSeries = regexp.MustCompile(`(?m)^uelink_wanted_not_in_force\{port="([^"]*)",what="([^"]*)"\} ([01])$`)

// raises gives Prometheus' promtool the metrics of the daemon, as they are scraped now, for 20 minutes, and demands
// that the alert of all that is wanted and not in force is firing for these things of the daemon itself, and for no
// other.
func (d told) raises(t *testing.T, name ...string) {
	t.Helper()
	bed.RequireProgram(t, "promtool", "prometheus")
	_, text := d.metrics()
	var series, alerts strings.Builder
	for _, m := range wantedSeries.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&series, "      - {series: '%s', values: '%sx20'}\n", strings.TrimSuffix(m[0], " "+m[3]), m[3])
		if firing := m[1] == "-" && slices.Contains(name, m[2]); firing {
			fmt.Fprintf(&alerts, "          - {value: 1, labels: 'ALERTS{alertname=\"UelinkWantedNotInForce\","+
				"alertstate=\"firing\",port=%q,severity=\"ticket\",what=%q}'}\n", m[1], m[2])
		}
	}
	rules, err := filepath.Abs("../../../deploy/prometheus/uelink.rules.yml")
	bed.Must(t, err)
	file := filepath.Join(t.TempDir(), "test.yml")
	bed.Must(t, os.WriteFile(file, fmt.Appendf(nil, "rule_files: [%q]\ntests:\n  - interval: 1m\n    input_series:\n%s"+
		"    promql_expr_test:\n      - expr: ALERTS{alertname=\"UelinkWantedNotInForce\"}\n        eval_time: 10m\n"+
		"        exp_samples:\n%s", rules, series.String(), alerts.String()), 0o600))
	if out, err := exec.Command("promtool", "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("alerts of %q: %v\n%s", name, err, out)
	}
}

// event waits until the daemon has kept an event of a kind with these words.
func (d told) event(t *testing.T, kind, words string) {
	t.Helper()
	bed.Eventually(t, "event "+kind+": "+words, func() string {
		all, err := d.Client.Events(t.Context())
		if err != nil {
			return err.Error()
		}
		if slices.ContainsFunc(all, func(e api.Event) bool { return e.Kind == kind && strings.Contains(e.Text, words) }) {
			return ""
		}
		return fmt.Sprintf("there are only %v", all)
	})
}

// refuses demands that a command of uelink fails with exit code 1 and an error in JSON that has these words.
func (d told) refuses(t *testing.T, words string, args ...string) {
	t.Helper()
	a := d.Tool(args...)
	var answer struct {
		Error string `json:"error"`
		Code  int    `json:"exit_code"`
	}
	if err := json.Unmarshal([]byte(a.Stderr), &answer); err != nil || a.Code != 1 || answer.Code != 1 ||
		!strings.Contains(answer.Error, words) {
		t.Errorf("uelink %s: exit %d, %q, %v, want 1 and %q", a.Args, a.Code, a.Stderr, err, words)
	}
	if s := d.Tool("status"); s.Code != 1 {
		t.Errorf("uelink status: exit %d while something is refused", s.Code)
	}
}

// successful demands the value of the metric that says whether the last reload was successful.
func (d told) successful(t *testing.T, value int) {
	t.Helper()
	if _, text := d.metrics(); !strings.Contains(text, fmt.Sprintf("\nuelink_config_last_reload_successful %d\n", value)) {
		t.Errorf("uelink_config_last_reload_successful is not %d", value)
	}
}

// A reload that is refused is in the exit code of the command, in the answer of the API, in the status, on the page, in
// the metrics, in an alert of Prometheus and in the events, however it was asked for, until the file is mended and the
// command of the status is typed. The same holds for an upgrade, until one, or a check, succeeds.
func TestRefusalsAreToldEverywhere(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	socket := filepath.Join(t.TempDir(), "web.sock")
	a := bed.Settings{
		Top: fmt.Sprintf("web: {listen: %q, mode: '0600'}\nmetrics: {listen: %q}", "unix:"+socket, metricsAt)}
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", a), B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
	p.Start()
	client, scraper := browser(top.A, socket), browser(top.A, "")
	d := told{p.A, func() (int, string) { return get(client, "http://localhost/") },
		func() (int, string) { return get(scraper, "http://"+metricsAt+"/metrics") }}
	p.A.EndsLast()

	p.A.Write(strings.ReplaceAll(a.Text(p.A.Socket), "role: edge", "role: egde"))
	d.refuses(t, "egde", "reload")
	command := d.unmet(t, "-", api.WantedConfiguration, true)
	if done, err := p.A.Client.Reload(t.Context()); err != nil || len(done.Errors) == 0 {
		t.Errorf("POST /v1/reload: %+v, %v", done, err)
	}
	p.A.Signal(syscall.SIGHUP)
	p.A.AwaitNotify("RELOADING=1")
	d.unmet(t, "-", api.WantedConfiguration, true)
	d.successful(t, 0)
	d.raises(t, api.WantedConfiguration)
	d.event(t, "error", "is refused, and the former configuration goes on")
	p.A.Write(a.Text(p.A.Socket))
	d.types(t, command)
	d.unmet(t, "-", api.WantedConfiguration, false)
	d.successful(t, 1)
	d.raises(t)
	d.event(t, "reload", "is in force")

	for _, end := range []struct{ command, event string }{
		{"uelink upgrade --check", "over: an upgrade is possible again"}, {"", "has taken over"},
	} {
		d.refuses(t, "does not take over", "upgrade", "--binary", "/bin/false")
		command := d.unmet(t, "-", api.WantedUpgrade, true)
		d.raises(t, api.WantedUpgrade)
		d.event(t, "error", "the upgrade asked for by")
		if end.command != "" {
			command = end.command
		}
		d.types(t, command)
		d.unmet(t, "-", api.WantedUpgrade, false)
		d.raises(t)
		d.event(t, "upgrade", end.event)
	}
}
