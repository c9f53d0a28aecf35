package metrics_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.yaml.in/yaml/v4"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/control/metrics"
	"uelink/dataplane/model"
	"uelink/internal/netns/nstest"
)

const rulesFile = "../../deploy/prometheus/uelink.rules.yml"

// rule is an alert.
type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readRules(t *testing.T) (all []rule) {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// exported returns the names of the metrics in the golden scrape, those of a link that speaks HIPPI-6400-PH, and up,
// which is Prometheus' own.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/scrape.txt")
	if err != nil {
		t.Fatal(err)
	}
	hippi := httptest.NewRecorder()
	source := controltest.New([]model.PortState{controltest.HIPPIPort()}, nil)
	daemon := metrics.Daemon{LogLost: func() uint64 { return 7 }, Troubles: func() []string { return nil },
		Refused: func() bool { return true }, Unmet: func() []api.Unmet { return nil }}
	metrics.NewServer(source, controltest.NewLLDP(), daemon, zap.NewNop()).Handler.ServeHTTP(hippi,
		httptest.NewRequest(http.MethodGet, "/metrics", nil))
	all := string(text) + hippi.Body.String()
	names := map[string]bool{"up": true}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(all, -1) {
		names[m[1]] = true
	}
	return names
}

// used returns the names of our metrics in an expression.
func used(expr string) []string { return regexp.MustCompile(`\buelink_\w+`).FindAllString(expr, -1) }

// Every alert is of metrics that the daemon has, and says what it means and what to type.
func TestAlertsAreOfMetricsThatExist(t *testing.T) {
	have := exported(t)
	for _, r := range readRules(t) {
		for _, name := range used(r.Expr) {
			if !have[name] {
				t.Errorf("%s: there is no metric %s", r.Alert, name)
			}
		}
		for _, key := range []string{"summary", "description", "runbook"} {
			if r.Annotations[key] == "" {
				t.Errorf("%s has no %s", r.Alert, key)
			}
		}
		if s := r.Labels["severity"]; s != "page" && s != "ticket" {
			t.Errorf("%s has the severity %q", r.Alert, s)
		}
	}
}

// alarms has, for each alert, series that raise it after 20 minutes, with values of each minute, and labels of the
// alert; and the same series in good health, which raise nothing.
var alarms = map[string]struct {
	series map[string][2]string // values: in trouble, and in good health
	labels string
}{
	"UelinkDown": {map[string][2]string{"up{%s}": {"0x30", "1x30"}}, ""},
	"UelinkWantedNotInForce": {map[string][2]string{
		`uelink_wanted_not_in_force{%s,port="-",what="configuration"}`: {"1x30", "0x30"},
	}, `port="-",what="configuration"`},
	"UelinkDaemonTrouble": {map[string][2]string{"uelink_daemon_troubles{%s}": {"1x30", "0x30"}}, ""},
	"UelinkPortNotUp": {map[string][2]string{
		`uelink_port_oper_status{%s,interface="eth1",port="link0",state="up"}`: {"0x30", "1x30"},
	}, `interface="eth1",port="link0",state="up"`},
	"UelinkLinkNotEstablished": {map[string][2]string{
		`uelink_llr_tx_status{%s,interface="eth1",port="link0",state="INIT"}`:  {"1x30", "0x30"},
		`uelink_llr_mode_remote{%s,interface="eth1",port="link0"}`:             {"1x30", "1x30"},
		`uelink_port_oper_status{%s,interface="eth1",port="link0",state="up"}`: {"1x30", "1x30"},
	}, `interface="eth1",port="link0",state="INIT"`},
	"UelinkFlush": {map[string][2]string{
		`uelink_llr_tx_flush_total{%s,interface="eth1",port="link0"}`: {"0x17 1x12", "1x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkLinkGivenUp": {map[string][2]string{
		`uelink_llr_tx_status{%s,interface="eth1",port="link0",state="FLUSH"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0",state="FLUSH"`},
	"UelinkPartnerProblem": {map[string][2]string{
		`uelink_llr_partner_problem{%s,interface="eth1",port="link0",reason="dialect"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0",reason="dialect"`},
	"UelinkStalled": {map[string][2]string{
		`uelink_llr_stalled{%s,interface="eth1",port="link0"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkReplays": {map[string][2]string{
		`uelink_llr_tx_replay_total{%s,interface="eth1",port="link0"}`: {"0+6000x30", "0+600x30"},
		`uelink_llr_tx_ok_total{%s,interface="eth1",port="link0"}`:     {"0+60000x30", "0+60000x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkHIPPINotNormal": {map[string][2]string{
		`uelink_hippi_ready{%s,interface="eth1",port="link0"}`:                 {"0x30", "1x30"},
		`uelink_port_oper_status{%s,interface="eth1",port="link0",state="up"}`: {"1x30", "1x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkHIPPIShutdown": {map[string][2]string{
		`uelink_hippi_shutdowns_total{%s,interface="eth1",port="link0"}`: {"0x17 1x12", "1x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkHIPPIFramesLost": {map[string][2]string{
		`uelink_hippi_tx_lost_at_reset_total{%s,interface="eth1",port="link0"}`: {"2x30", "2x30"},
		`uelink_hippi_rx_lost_at_reset_total{%s,interface="eth1",port="link0"}`: {"3x30", "3x30"},
		`uelink_hippi_rx_message_error_total{%s,interface="eth1",port="link0"}`: {"4x17 5x12", "4x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkHIPPIPartnerProblem": {map[string][2]string{
		`uelink_hippi_partner_problem{%s,interface="eth1",port="link0",reason="protocol"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0",reason="protocol"`},
	"UelinkHIPPIRetransmissions": {map[string][2]string{
		`uelink_hippi_retry_count_total{%s,interface="eth1",port="link0"}`:           {"0+6000x30", "0+600x30"},
		`uelink_hippi_tx_micropacket_frames_total{%s,interface="eth1",port="link0"}`: {"0+60000x30", "0+60000x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkDrops": {map[string][2]string{
		`uelink_port_rx_dropped_total{%s,interface="eth1",port="link0"}`: {"0+100x30", "7x30"},
		`uelink_port_tx_dropped_total{%s,interface="eth1",port="link0"}`: {"0+100x30", "9x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkStandsStill": {map[string][2]string{
		`uelink_port_stands_still{%s,interface="eth1",port="link0"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0"`},
	"UelinkFault": {map[string][2]string{
		`uelink_port_fault{%s,interface="eth1",port="link0",reason="mtu"}`: {"1x30", "0x30"},
	}, `interface="eth1",port="link0",reason="mtu"`},
	"UelinkCreditTimeout": {map[string][2]string{
		`uelink_virtual_channel_credit_timeouts_total{%s,port="link0",vc="3"}`: {"2x17 3x12", "2x30"},
	}, `port="link0",vc="3"`},
	"UelinkChannelNotLossless": {map[string][2]string{
		`uelink_virtual_channel_phase{%s,port="link0",state="best_effort",vc="3"}`: {"1x30", "1x30"},
		`uelink_virtual_channel_lossless{%s,port="link0",vc="3"}`:                  {"1x30", "0x30"},
	}, `port="link0",state="best_effort",vc="3"`},
	"UelinkPartnerRestarts": {map[string][2]string{
		`uelink_llr_partner_restart_total{%s,interface="eth1",port="link0"}`: {"0x10 0+1x20", "0x10 1x20"},
	}, `interface="eth1",port="link0"`},
	"UelinkLLDP": {map[string][2]string{
		`uelink_lldp_other_agent{%s,destination="nearest-bridge",interface="eth1",port="link0"}`: {"1x30", "0x30"},
	}, `destination="nearest-bridge",interface="eth1",port="link0"`},
	"UelinkDCBX": {map[string][2]string{
		`uelink_dcbx_problem{%s,cause="pfc_differs",destination="nearest-bridge",interface="eth1",port="link0"}`: {"1x30", "0x30"},
	}, `cause="pfc_differs",destination="nearest-bridge",interface="eth1",port="link0"`},
}

// promtest is a file of promtool's test rules.
type promtest struct {
	RuleFiles []string   `yaml:"rule_files"`
	Tests     []promcase `yaml:"tests"`
}

type promcase struct {
	Interval string       `yaml:"interval"`
	Series   []promseries `yaml:"input_series"`
	Alerts   []promalert  `yaml:"alert_rule_test"`
}

type promseries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type promalert struct {
	At     string        `yaml:"eval_time"`
	Name   string        `yaml:"alertname"`
	Alerts []promexpects `yaml:"exp_alerts"`
}

type promexpects struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// target is the labels of a scraped daemon.
const target = `job="uelink",instance="host1:9464"`

// expected returns what an alert has when it is raised for series with these labels.
func (r rule) expected(labels string) promexpects {
	e := promexpects{maps.Clone(r.Labels), map[string]string{}}
	for _, pair := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(target+","+labels, -1) {
		e.Labels[pair[1]] = pair[2]
	}
	for key, text := range r.Annotations {
		for name, value := range e.Labels {
			text = strings.ReplaceAll(text, "{{ $labels."+name+" }}", value)
		}
		e.Annotations[key] = text
	}
	return e
}

// wishes returns two cases for each thing that a port or the daemon itself may want: not in force, which raises the
// alert, and in force.
func wishes(rules []rule) (cases []promcase) {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.Alert == "UelinkWantedNotInForce" })
	for port, words := range map[string][]string{"-": api.WantedOfDaemon(), "link0": api.WantedOfPort()} {
		for _, what := range words {
			labels := fmt.Sprintf("port=%q,what=%q", port, what)
			series := fmt.Sprintf("uelink_wanted_not_in_force{%s,%s}", target, labels)
			for values, expect := range map[string][]promexpects{"1x30": {rules[i].expected(labels)}, "0x30": {}} {
				cases = append(cases, promcase{Interval: "1m", Series: []promseries{{series, values}},
					Alerts: []promalert{{"20m", rules[i].Alert, expect}}})
			}
		}
	}
	return cases
}

// Each alert is raised by its trouble, with all labels in its texts, and no alert by good health.
func TestAlerts(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		nstest.Missing(t, "promtool (Debian package prometheus)")
	}
	rules := readRules(t)
	path, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	file := promtest{RuleFiles: []string{path}}
	for _, r := range rules {
		alarm, have := alarms[r.Alert]
		if !have {
			t.Errorf("no series raise %s", r.Alert)
			continue
		}
		for i, expect := range [][]promexpects{{r.expected(alarm.labels)}, {}} {
			c := promcase{Interval: "1m", Alerts: []promalert{{"20m", r.Alert, expect}}}
			for _, name := range slices.Sorted(maps.Keys(alarm.series)) {
				c.Series = append(c.Series, promseries{fmt.Sprintf(name, target), alarm.series[name][i]})
			}
			file.Tests = append(file.Tests, c)
		}
	}
	file.Tests = append(file.Tests, wishes(rules)...)
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "test.yml")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", path}, {"test", "rules", name}} {
		if out, err := exec.Command("promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if len(alarms) != len(rules) {
		t.Errorf("%d alerts, and series for %d", len(rules), len(alarms))
	}
}
