package alerts

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

var (
	withPrometheus = flag.Bool("alerts.prometheus", false, "TestNoPanelIsEmpty runs a Prometheus")
	picture        = flag.String("alerts.picture", "",
		"a file for a picture of the dashboard: 60 s of traffic, and then a daemon that is killed")
)

// deploy is the folder with the alerts and the dashboard.
const deploy = "../../../deploy"

// query is a query of the dashboard.
type query struct{ panel, expr string }

// queries returns the queries of the dashboard as Grafana sends them.
func queries(t *testing.T) (all []query) {
	t.Helper()
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			all = append(all, query{p.Title, chosen(target.Expr)})
		}
	}
	return all
}

// scraper is a Prometheus in a namespace of its own.
type scraper struct {
	t   *testing.T
	ns  *netns.NS
	url string
}

// metricsOf returns the address at which a daemon serves its metrics, on a veth to Prometheus' namespace.
func (s *scraper) metricsOf(number int, ns *netns.NS) string {
	s.t.Helper()
	far := fmt.Sprintf("host%d", number)
	bed.Must(s.t, netns.Veth(ns, "mgmt", s.ns, far, bed.EdgeMTU))
	bed.Must(s.t, ns.AddAddr("mgmt", fmt.Sprintf("10.78.%d.1/24", number)))
	bed.Must(s.t, s.ns.AddAddr(far, fmt.Sprintf("10.78.%d.2/24", number)))
	return fmt.Sprintf("10.78.%d.1:9464", number)
}

// start starts Prometheus, which scrapes these addresses each second and has the alerts.
func (s *scraper) start(targets ...string) {
	s.t.Helper()
	rules, err := filepath.Abs(filepath.Join(deploy, "prometheus/uelink.rules.yml"))
	bed.Must(s.t, err)
	dir := s.t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	bed.Must(s.t, os.WriteFile(file, fmt.Appendf(nil, `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs: [{job_name: uelink, static_configs: [{targets: ["%s"]}]}]
`, rules, strings.Join(targets, `", "`)), 0o600))
	s.url = "http://10.78.1.2:9090"
	bed.Start(s.t, s.ns, "prometheus", exec.Command("prometheus", "--config.file", file, "--storage.tsdb.path",
		filepath.Join(dir, "data"), "--web.listen-address", "10.78.1.2:9090"))
	bed.Eventually(s.t, "a Prometheus that is ready", func() string {
		if code, text := s.get(s.url + "/-/ready"); code != http.StatusOK {
			return text
		}
		return ""
	})
}

// get returns the status and the body of an answer over HTTP; 0 and the error if there is none.
func (s *scraper) get(url string) (int, string) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			err = s.ns.Do(func() (err error) {
				var d net.Dialer
				conn, err = d.DialContext(ctx, network, address)
				return err
			})
			return conn, err
		}}, Timeout: 5 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// ask returns what Prometheus answers to a query: a series each line; "" for none.
func (s *scraper) ask(expr string) string {
	s.t.Helper()
	p := bed.Start(s.t, s.ns, "promtool", exec.Command("promtool", "query", "instant", "--", s.url, expr))
	if code := p.Wait(); code != 0 {
		s.t.Fatalf("%s: exit %d, %s", expr, code, p.Stderr.String())
	}
	return strings.TrimSpace(p.Stdout.String())
}

// Two daemons with a virtual channel of credits, over a wire that loses frames: each query of the dashboard has series,
// the metrics are as promtool wants them, and the alerts see a daemon die.
func TestNoPanelIsEmpty(t *testing.T) {
	if !*withPrometheus {
		t.Skip("skipped, missing Prometheus: make test-all installs it (-alerts.prometheus)")
	}
	for _, program := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(program); err != nil {
			nstest.Missing(t, program+": apt-get install prometheus")
		}
	}
	top := bed.Cabled(t)
	top.Cable("--loss", "0.01")
	s := &scraper{t: t, ns: nstest.New(t, "prom")}
	settings := func(listen string) bed.Settings {
		return bed.Settings{
			Link: "vcs: 2, lldp: {mode: rx-tx}, cbfc: {mode: static, vcs: [{index: 1, lossless: true, limit: 64}]}",
			Top:  fmt.Sprintf("metrics: {listen: %q}", listen),
		}
	}
	first, second := s.metricsOf(1, top.A), s.metricsOf(2, top.B)
	p := bed.Pair{
		A: bed.NewDaemon(t, top.A, "A", settings(first)), B: bed.NewDaemon(t, top.B, "B", settings(second)),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	s.start(first, second)
	load := top.Load(t, bed.Patience)

	code, text := s.get("http://" + first + "/metrics")
	if code != http.StatusOK {
		t.Fatal(text)
	}
	lint := exec.Command("promtool", "check", "metrics")
	lint.Stdin = strings.NewReader(text)
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	bed.Eventually(t, "replays that Prometheus has seen", func() string {
		return missing(s.ask(`rate(uelink_llr_tx_replay_total[10s]) > 0`))
	})
	t.Log(s.scrapeTimes("http://" + first + "/metrics"))
	for _, q := range queries(t) {
		series := s.ask(q.expr)
		if series == "" {
			t.Errorf("panel %q is empty: %s", q.panel, q.expr)
			continue
		}
		t.Logf("%-40s %3d series, such as %.120s", q.panel, strings.Count(series, "\n")+1, series)
	}
	if raised := s.ask(`ALERTS{alertstate="firing",severity="page"}`); raised != "" {
		t.Errorf("alerts of a link that loses nothing:\n%s", raised)
	}
	if *picture != "" {
		s.scrapes(60)
	}
	load.End()

	p.B.Kill()
	for _, alert := range []string{"UelinkDown", "UelinkPartnerProblem"} {
		bed.Eventually(t, "the alert "+alert, func() string { return missing(s.ask(`ALERTS{alertname="` + alert + `"}`)) })
	}
	t.Logf("B is dead:\n%s", s.ask("ALERTS"))
	if *picture != "" {
		s.scrapes(75)
		from, to := s.number(`min_over_time(timestamp(up{instance=~"10.78.1.*"})[10m:1s])`), s.number("vector(time())")
		bed.Must(t, os.WriteFile(*picture, []byte(s.picture(panels(t), from, to)), 0o644))
	}
}

// scrapeTimes scrapes a daemon a hundred times, and says how long that took.
func (s *scraper) scrapeTimes(url string) string {
	s.t.Helper()
	var all []time.Duration
	for range 100 {
		began := time.Now()
		if code, text := s.get(url); code != http.StatusOK {
			s.t.Fatal(text)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return fmt.Sprintf("a scrape under load takes %v (p50), %v (p99)", all[50], all[98])
}

// scrapes waits until the first daemon has been scraped n times.
func (s *scraper) scrapes(n int) {
	s.t.Helper()
	bed.Within(s.t, 4*bed.Patience, fmt.Sprintf("%d scrapes", n), func() string {
		return missing(s.ask(fmt.Sprintf(`count_over_time(up{instance=~"10.78.1.*"}[10m]) >= %d`, n)))
	})
}

// number returns the value of a query with one series.
func (s *scraper) number(expr string) float64 {
	s.t.Helper()
	_, text, _ := strings.Cut(s.ask(expr), "=> ")
	value, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(value, 64)
	bed.Must(s.t, err)
	return v
}

// missing returns a problem for an answer without series.
func missing(series string) string {
	if series == "" {
		return "no series"
	}
	return ""
}
