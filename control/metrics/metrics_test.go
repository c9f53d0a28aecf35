package metrics

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/control"
	"uelink/control/controltest"
	"uelink/dataplane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ports() ([]dataplane.PortState, error) { return controltest.Ports(), nil }

// scrape is the text of one scrape.
func scrape(t *testing.T, source Source) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	NewServer(source, zap.NewNop()).Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

func TestMetrics(t *testing.T) {
	code, body := scrape(t, ports)
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	for _, line := range []string{
		`# TYPE uelink_llr_tx_ok_total counter`,
		`uelink_llr_tx_ok_total{interface="eth1",port="link0"} 7.650079e+06`,
		`uelink_llr_tx_flush_total{interface="eth2",port="link1"} 1`,
		`uelink_port_rx_frames_total{interface="veth1",port="edge0"} 7.654321e+06`,
		`uelink_socket_rx_dropped_total{interface="eth1",port="link0"} 3`,
		`# TYPE uelink_llr_tx_status gauge`,
		`uelink_llr_tx_status{interface="eth1",port="link0",state="ADVANCE"} 1`,
		`uelink_llr_tx_status{interface="eth1",port="link0",state="FLUSH"} 0`,
		`uelink_llr_rx_status{interface="eth1",port="link0",state="SEND_ACKS"} 1`,
		`uelink_port_oper_status{interface="eth2",port="link1",state="down"} 1`,
		`uelink_port_oper_status{interface="eth2",port="link1",state="up"} 0`,
		`uelink_port_error_status{error="llr_tx_flush",interface="eth2",port="link1"} 1`,
		`uelink_llr_mode_remote{interface="eth2",port="link1"} 1`,
		`uelink_llr_outstanding_bytes{interface="eth1",port="link0"} 18000`,
		`uelink_port_mtu{interface="veth1",port="edge0"} 1500`,
		`uelink_llr_info{dialect="ue1",flush_reason="replay count",interface="eth2",llr_mode="static",llr_profile="careful",partner_mac="",partner_problem="silent",port="link1"} 1`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, other := range []string{"uelink_build_info{", "go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(body, "\n"+other) {
			t.Errorf("no %s", other)
		}
	}
}

// Every value that a port has is in a scrape, under a name of its own.
func TestNothingIsForgotten(t *testing.T) {
	_, body := scrape(t, ports)
	names := map[string]string{}
	for _, p := range controltest.Ports() {
		if p.LLR == nil || p.ErrorStatus == nil {
			continue
		}
		for _, f := range control.Fields(p) {
			name := metricName(f) + "{"
			switch f.Value.(type) {
			case uint64:
				name = metricName(f) + "_total{"
			case string, dataplane.Role:
				if states(f.Key) == nil {
					name = f.Key + "=\""
				}
			}
			if f.Key == "name" {
				name = "port=\""
			}
			if !strings.Contains(body, name) {
				t.Errorf("%s of %q is not exported", f.Key, f.Section)
			}
			if other, taken := names[name]; taken && f.Section != other {
				t.Errorf("%s is %s of %q and of %q", name, f.Key, f.Section, other)
			}
			names[name] = f.Section
		}
	}
	if len(names) < 80 {
		t.Errorf("only %d names", len(names))
	}
}

// Prometheus' own rules for names and help.
func TestLint(t *testing.T) {
	_, body := scrape(t, ports)
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestFailureFailsTheScrape(t *testing.T) {
	code, body := scrape(t, func() ([]dataplane.PortState, error) { return nil, errors.New("worker 0 does not answer") })
	if code != http.StatusInternalServerError || !strings.Contains(body, "worker 0 does not answer") {
		t.Errorf("%d %s", code, body)
	}
}

func TestNoPorts(t *testing.T) {
	code, body := scrape(t, func() ([]dataplane.PortState, error) { return nil, nil })
	if code != http.StatusOK || strings.Contains(body, "uelink_port") {
		t.Errorf("%d %s", code, body)
	}
}

func TestListen(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "set another metrics.listen") {
		t.Errorf("%v", err)
	}
}
