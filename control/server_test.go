package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/sai/store"
)

func TestMain(m *testing.M) {
	if socket := os.Getenv(askedBy); socket != "" {
		askToUpgrade(socket)
		return
	}
	goleak.VerifyTestMain(m)
}

var started = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// daemon is a server over a real socket in front of a backend without frames.
type daemon struct {
	*controltest.Backend
	lldp   *controltest.LLDP
	server *control.Server
	socket string
	level  zap.AtomicLevel
	client *client.Client
}

// start has LLDP where there are ports.
func start(t *testing.T, ports []model.PortState) *daemon {
	t.Helper()
	lldp := &controltest.LLDP{}
	if ports != nil {
		lldp = controltest.NewLLDP()
	}
	return startWith(t, controltest.New(ports, controltest.Profiles()), lldp)
}

func startWith(t *testing.T, b *controltest.Backend, lldp *controltest.LLDP) *daemon {
	t.Helper()
	return startStore(t, b, lldp, store.New(reloaded{b}, linkAlone, zap.NewNop()))
}

func startStore(t *testing.T, b *controltest.Backend, lldp *controltest.LLDP, kept *store.Store) *daemon {
	t.Helper()
	d := &daemon{Backend: b, lldp: lldp, socket: filepath.Join(t.TempDir(), "uelink.sock"), level: zap.NewAtomicLevel()}
	d.server = control.NewServer(d.Backend, d.lldp, zap.NewNop(), d.level,
		api.Status{Version: "v1", PID: 7, Started: started, Config: "/etc/uelink.yaml"})
	d.server.OfferSAI(kept)
	l, err := control.Listen(t.Context(), control.Socket{Path: d.socket, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.server.Serve(l) }()
	d.client = client.NewClient(d.socket)
	t.Cleanup(func() {
		d.client.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := errors.Join(d.server.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return d
}

// request speaks HTTP as curl would.
func (d *daemon) request(t *testing.T, method, path, body string) (*http.Response, string) {
	t.Helper()
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", d.socket)
		},
	}
	r, err := http.NewRequest(method, "http://uelinkd"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func TestRefusals(t *testing.T) {
	d := start(t, controltest.Ports())
	long := `{"enabled": true, "x": "` + strings.Repeat("x", 70<<10) + `"}`
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		message, field           string
	}{
		{"unknown path", "GET", "/v1/nothing", "", 404, "no such path: /v1/nothing", "path"},
		{"above all", "GET", "/v1", "", 404, "no such path: /v1", "path"},
		{"unknown port", "GET", "/v1/ports/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"unknown port with slash", "GET", "/v1/ports/a%2Fb", "", 404, "port a/b: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLR of unknown port", "GET", "/v1/llr/interfaces/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLR of edge port", "GET", "/v1/llr/interfaces/edge0", "", 409, "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)", "port"},
		{"counters of unknown port", "GET", "/v1/llr/counters/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"counters of edge port", "GET", "/v1/llr/counters/edge0", "", 409, "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)", "port"},
		{"unknown profile", "GET", "/v1/llr/profiles/fast", "", 404, "profile fast: no such LLR profile: the profiles are careful, default", "name"},
		{"local of unknown port", "POST", "/v1/llr/interfaces/link9/local", `{"enabled": true}`, 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"remote of edge port", "POST", "/v1/llr/interfaces/edge0/remote", `{"enabled": true}`, 409, "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)", "port"},
		{"reinit of edge port", "POST", "/v1/llr/interfaces/edge0/reinit", "", 409, "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)", "port"},
		{"clear of unknown port", "DELETE", "/v1/llr/counters/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"CBFC of unknown port", "GET", "/v1/cbfc/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"CBFC of edge port", "GET", "/v1/cbfc/edge0", "", 409, "port edge0: not a link port: the link ports are link0 (eth1), link1 (eth2)", "port"},
		{"CBFC of a link without", "GET", "/v1/cbfc/link1", "", 409, "port link1: CBFC is off: set its cbfc.mode to static or dynamic", "port"},
		{"VC of unknown port", "POST", "/v1/cbfc/link9/vcs/1", `{"enabled": true}`, 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"VC of a link without CBFC", "POST", "/v1/cbfc/link1/vcs/1", `{"enabled": true}`, 409, "link1: CBFC is off", "port"},
		{"VC that is not there", "POST", "/v1/cbfc/link0/vcs/8", `{"enabled": true}`, 404, "link0: VC 8: no such virtual channel", "vc"},
		{"VC that is no number", "POST", "/v1/cbfc/link0/vcs/-1", `{"enabled": true}`, 400, `vc "-1": a number from 0 to 31 is wanted`, "vc"},
		{"VC without a word", "POST", "/v1/cbfc/link0/vcs/1", `{}`, 400, "body: enabled is missing", "enabled"},
		{"maps of unknown port", "GET", "/v1/qos/link9", "", 404, "port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"no body", "POST", "/v1/llr/interfaces/link0/local", "", 400, "body: a JSON object is wanted", ""},
		{"array", "POST", "/v1/llr/interfaces/link0/local", "[]", 400, "body: a JSON object is wanted", ""},
		{"null", "POST", "/v1/llr/interfaces/link0/local", "null", 400, "body: a JSON object is wanted", ""},
		{"field missing", "POST", "/v1/llr/interfaces/link0/remote", "{}", 400, "body: enabled is missing", "enabled"},
		{"field null", "POST", "/v1/llr/interfaces/link0/remote", `{"enabled": null}`, 400, "body: enabled is missing", "enabled"},
		{"unknown field", "POST", "/v1/llr/interfaces/link0/local", `{"enable": true}`, 400, `body: unknown field "enable"`, "enable"},
		{"wrong type", "POST", "/v1/llr/interfaces/link0/local", `{"enabled": "yes"}`, 400, "body: enabled: bool is wanted, not string", "enabled"},
		{"two values", "POST", "/v1/llr/interfaces/link0/local", `{"enabled": true} {}`, 400, "body: more than one JSON value", ""},
		{"not JSON", "POST", "/v1/llr/interfaces/link0/local", "enabled=true", 400, "body: invalid character 'e' looking for beginning of value", ""},
		{"cut off", "POST", "/v1/llr/interfaces/link0/local", `{"enabled":`, 400, "body: unexpected EOF", ""},
		{"too long", "POST", "/v1/llr/interfaces/link0/local", long[:24] + strings.Repeat(" ", 70<<10), 413, "body: more than 65536 octets", ""},
		{"reinit with body", "POST", "/v1/llr/interfaces/link0/reinit", "{}", 400, "body: none is wanted", ""},
		{"clear with body", "DELETE", "/v1/llr/counters", "{}", 400, "body: none is wanted", ""},
		{"LLDP neighbors of unknown port", "GET", "/v1/lldp/neighbors/link9", "", 404, "port link9: no such LLDP port: the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLDP interfaces of unknown port", "GET", "/v1/lldp/interfaces/link9", "", 404, "port link9: no such LLDP port: the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLDP statistics of unknown port", "GET", "/v1/lldp/statistics/link9", "", 404, "port link9: no such LLDP port: the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLDP clear of unknown port", "DELETE", "/v1/lldp/statistics/link9", "", 404, "port link9: no such LLDP port: the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"LLDP clear with body", "DELETE", "/v1/lldp/statistics", "{}", 400, "body: none is wanted", ""},
		{"DCBX of unknown port", "GET", "/v1/dcbx/link9", "", 404, "port link9: no such LLDP port: the ports with LLDP are edge0 (veth1), link0 (eth1), link1 (eth2)", "port"},
		{"DCBX of a port without it", "GET", "/v1/dcbx/edge0", "", 409, "port edge0: DCBX is off: set its dcbx.mode to on; the ports with DCBX are link0 (eth1)", "port"},
		{"LLDP read only", "PUT", "/v1/lldp/chassis", "{}", 405, "/v1/lldp/chassis: PUT is not allowed, only GET", "method"},
		{"unknown level", "PUT", "/v1/log/level", `{"level": "loud"}`, 400, `level "loud": one of debug, info, warn, error is wanted`, "level"},
		{"level that silences", "PUT", "/v1/log/level", `{"level": "fatal"}`, 400, `level "fatal": one of debug, info, warn, error is wanted`, "level"},
		{"no level", "PUT", "/v1/log/level", `{}`, 400, `level "": one of debug, info, warn, error is wanted`, "level"},
		{"read only", "POST", "/v1/workers", "{}", 405, "/v1/workers: POST is not allowed, only GET", "method"},
		{"write only", "GET", "/v1/llr/interfaces/link0/local", "", 405, "/v1/llr/interfaces/link0/local: GET is not allowed, only POST", "method"},
		{"two methods", "POST", "/v1/llr/counters", "", 405, "/v1/llr/counters: POST is not allowed, only DELETE, GET", "method"},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, body := d.request(t, c.method, c.path, c.body)
			if response.StatusCode != c.status {
				t.Errorf("status %d, want %d", response.StatusCode, c.status)
			}
			var got map[string]string
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			if diff := cmp.Diff(map[string]string{"error": c.message, "field": c.field}, got); diff != "" {
				t.Error(diff)
			}
			if allow := response.Header.Get("Allow"); (c.status == 405) != (allow != "") {
				t.Errorf("Allow: %q", allow)
			}
		})
	}
	if calls := append(d.Calls(), d.lldp.Calls()...); len(calls) > 0 {
		t.Errorf("refused requests changed something: %v", calls)
	}
}

func TestBackendFailureIs500(t *testing.T) {
	d := start(t, controltest.Ports())
	d.Fail(errors.New("worker 0 does not answer"))
	for _, c := range [][2]string{{"POST", "/v1/llr/interfaces/link0/reinit"}, {"DELETE", "/v1/llr/counters"},
		{"DELETE", "/v1/llr/counters/link0"}} {
		response, body := d.request(t, c[0], c[1], "")
		if response.StatusCode != 500 || !strings.Contains(body, "worker 0 does not answer") {
			t.Errorf("%v: %d %s", c, response.StatusCode, body)
		}
	}
}

func TestListsAreArraysByName(t *testing.T) {
	paths := []string{"/v1/ports", "/v1/llr/interfaces", "/v1/llr/counters", "/v1/lldp/interfaces",
		"/v1/lldp/neighbors"}
	for _, path := range paths {
		if _, body := start(t, nil).request(t, "GET", path, ""); strings.TrimSpace(body) != "[]" {
			t.Errorf("%s without ports: %s", path, body)
		}
		_, body := start(t, controltest.Ports()).request(t, "GET", path, "")
		if bytes.Contains([]byte(body), []byte("null")) {
			t.Errorf("%s: null in %s", path, body)
		}
		var list []struct{ Name, Port string }
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) < 2 || !slices.IsSortedFunc(list, func(a, b struct{ Name, Port string }) int {
			return strings.Compare(a.Name+a.Port, b.Name+b.Port)
		}) {
			t.Errorf("%s: %v", path, list)
		}
	}
}

func TestChanges(t *testing.T) {
	d := start(t, controltest.Ports())
	ctx := t.Context()
	for _, change := range []func() error{
		func() error { return d.client.SetLLRLocal(ctx, "link0", false) },
		func() error { return d.client.SetLLRRemote(ctx, "link1", true) },
		func() error { return d.client.ReinitLLR(ctx, "link1") },
		func() error { return d.client.ClearCounters(ctx, "link0") },
		func() error { return d.client.ClearCounters(ctx, "edge0") },
		func() error { return d.client.ClearCounters(ctx, "") },
		func() error { return d.client.SetLogLevel(ctx, "debug") },
	} {
		if err := change(); err != nil {
			t.Error(err)
		}
	}
	want := []string{"SetLLRLocal link0 false", "SetLLRRemote link1 true", "ReinitLLR link1", "ClearCounters link0",
		"ClearCounters edge0", "ClearCounters "}
	if diff := cmp.Diff(want, d.Calls()); diff != "" {
		t.Error(diff)
	}
	if d.level.Level() != zap.DebugLevel {
		t.Errorf("level is %s", d.level.Level())
	}
	if response, body := d.request(t, "POST", "/v1/llr/interfaces/link0/reinit",
		""); response.StatusCode != 204 || body != "" {
		t.Errorf("%d %q", response.StatusCode, body)
	}
}
