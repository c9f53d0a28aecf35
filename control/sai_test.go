package control_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/sai"
	"uelink/sai/store"
)

// linkAlone is the settings that the store of SAI's objects has in these tests.
var linkAlone = dataplane.Settings{
	Profiles: map[string]llr.Profile{"default": {MaxOutstandingFrames: 100}},
	Ports:    []model.PortSettings{{Name: "link0", Role: model.RoleLink, LLR: model.LLRSettings{Profile: "default"}}},
}

// reloaded is a backend whose settings may change.
type reloaded struct{ *controltest.Backend }

// Reload accepts any settings.
func (reloaded) Reload(dataplane.Settings) error { return nil }

// routeEntry is a route in the body of a call.
const routeEntry = `"entry": {"router": "oid:0x3000000000001", "prefix": "fe80::/10"}`

// TestSAI: each call of SAI answers with SAI's status, and a request that is no call with an error of HTTP.
func TestSAI(t *testing.T) {
	d := start(t, controltest.Ports())
	objects, err := d.client.SAIObjects(t.Context())
	if err != nil || len(objects) != 9 { // 5 of these are of every switch
		t.Fatalf("%+v, %v", objects, err)
	}
	link := objects[1].OID.String()
	var made api.SAIAnswer
	_, text := d.request(t, http.MethodPost, "/v1/sai/create",
		`{"type": 115, "attributes": [{"id": 0, "value": {"n": 7}}, {"id": 1, "value": {"n": 1000}}]}`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Status != sai.Success {
		t.Fatalf("%s: %v", text, err)
	}
	profile := made.OID.String()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // part of the answer
	}{
		{"POST", "/v1/sai/create", `{"type": 115}`, 200, `{"status":-14,"reason":"SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_FRAMES_MAX is missing"}`},
		{"POST", "/v1/sai/create", `{"type": 4}`, 200, `"status":-18`},
		{"POST", "/v1/sai/create", `{"type": -1}`, 400, `"field":"type"`},
		{"POST", "/v1/sai/create", `{"type": 115, "attributes": [{"id": 0, "value": {"oid": "7"}}]}`, 400, "no object id"},
		{"POST", "/v1/sai/create", `{"kind": 115}`, 400, "unknown field"},
		{"POST", "/v1/sai/set", `{"oid": "` + profile + `", "attribute": {"id": 3, "value": {"n": 5}}}`, 200, `"status":0`},
		{"POST", "/v1/sai/set", `{"oid": "` + profile + `", "attribute": {"id": 0, "value": {"n": 5}}}`, 200, `"status":-65536`},
		{"POST", "/v1/sai/get", `{"oid": "` + profile + `", "ids": [0, 3]}`, 200, `"values":[{"n":7},{"n":5}]`},
		{"POST", "/v1/sai/get", `{"oid": "oid:0x1", "ids": [0]}`, 200, `"status":-19`},
		{"POST", "/v1/sai/stats", `{"oid": "` + link + `", "ids": [209, 226]}`, 200, `"stats":[7650079,`},
		{"POST", "/v1/sai/remove", `{"oid": "` + profile + `"}`, 200, `"status":0`},
		{"POST", "/v1/sai/remove", `{"oid": "` + profile + `"}`, 200, `"status":-19`},
		{"POST", "/v1/sai/remove", `{"oid": 7}`, 400, `"field":"oid"`},
		{"GET", "/v1/sai/oids?type=1", "", 200, `{"oids":["` + link + `","oid:0x1000100000000"],"room":0,"entries":[]}`},
		{"GET", "/v1/sai/oids?type=33", "", 200, `{"oids":["oid:0x21000000000000"],"room":0,"entries":[]}`},
		{"POST", "/v1/sai/create", `{"type": 37, ` + routeEntry + `, "attributes": [{"id": 0, "value": {"n": 0}}]}`, 200, `"status":0`},
		{"POST", "/v1/sai/create", `{"type": 37, ` + routeEntry + `}`, 200, `"status":-6`},
		{"POST", "/v1/sai/set", `{` + routeEntry + `, "attribute": {"id": 0, "value": {"n": 1}}}`, 200, `"status":0`},
		{"POST", "/v1/sai/get", `{` + routeEntry + `, "ids": [0, 4]}`, 200, `"values":[{"n":1},{"n":1}]`},
		{"GET", "/v1/sai/oids?type=37", "", 200, `"entries":[{"router":"oid:0x3000000000001","prefix":"fe80::/10"}]`},
		{"POST", "/v1/sai/remove", `{` + routeEntry + `}`, 200, `"status":0`},
		{"POST", "/v1/sai/get", `{` + routeEntry + `, "ids": [0]}`, 200, `"status":-7`},
		{"POST", "/v1/sai/remove", `{` + routeEntry + `}`, 200, `"status":-7`},
		{"GET", "/v1/sai/oids?type=x", "", 400, `"field":"type"`},
		{"GET", "/v1/sai/oids?kind=1", "", 400, "unknown key"},
		{"GET", "/v1/sai/capability?type=115&id=6", "", 200, `{"create":true,"set":true,"get":true,"known":true,"enum":[0,1,2]}`},
		{"GET", "/v1/sai/capability?type=115&id=60", "", 200, `"known":false`},
		{"GET", "/v1/sai/capability?type=115", "", 400, `"field":"id"`},
		{"GET", "/v1/sai/statistics?type=116", "", 200, `[{"id":0,"modes":5}`},
		{"GET", "/v1/sai/statistics?type=", "", 400, `"field":"type"`},
		{"DELETE", "/v1/sai/objects", "", 405, "only GET"},
	} {
		r, text := d.request(t, c.method, c.path, c.body)
		if r.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, r.StatusCode, text, c.status, c.want)
		}
	}
}

// TestSAIClients: what a client has set of a queue ends when this client detaches, and by no other call; the name of a
// client has at most 64 octets; exact timers are those of a creation that asks for them.
func TestSAIClients(t *testing.T) {
	backend := controltest.New(controltest.Ports(), controltest.Profiles())
	kept := store.New(reloaded{backend}, linkAlone, zap.NewNop())
	d := startStore(t, backend, controltest.NewLLDP(), kept)
	objects, err := d.client.SAIObjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	queues, err := d.client.SAIGet(t.Context(), objects[1].OID, 0x5)
	if err != nil {
		t.Fatal(err)
	}
	call := func(path, body string, status int) (answer api.SAIAnswer) {
		t.Helper()
		r, text := d.request(t, http.MethodPost, "/v1/sai/"+path, body)
		if err := json.Unmarshal([]byte(text), &answer); r.StatusCode != status || err != nil &&
			status == http.StatusOK {
			t.Fatalf("%s %s: %d %s", path, body, r.StatusCode, text)
		}
		return answer
	}
	stop := func(client string, status int) {
		t.Helper()
		call("set", fmt.Sprintf(`{"oid": "%s", "client": "%s", "attribute": {"id": 15, "value": {"n": 0}}}`,
			queues[0].OIDs[0], client), status)
	}
	stopped := func(when string, want uint32) {
		t.Helper()
		if got := kept.Running().Ports[0].Stops.Stopped; got != want {
			t.Errorf("%s: the stopped queues are 0x%x, want 0x%x", when, got, want)
		}
	}
	longest := strings.Repeat("c", 64)
	stop(longest+"c", http.StatusBadRequest)
	stopped("by a client whose name is too long", 0)
	stop(longest, http.StatusOK)
	stopped("by a client", 1)
	profile := call("create", `{"type": 115, "exact_timers": true, "attributes": [{"id": 0, "value": {"n": 7}},
		{"id": 1, "value": {"n": 1000}}, {"id": 2, "value": {"n": 100}}]}`, http.StatusOK).OID
	if p := kept.Running().Profiles[profile.String()]; p.TimerFloor || p.MaxReplayTimer != 100 {
		t.Errorf("exact timers: %+v", p)
	}
	call("remove", fmt.Sprintf(`{"oid": "%s", "client": "%s"}`, profile, longest), http.StatusOK)
	stopped("the client has removed a profile", 1)
	call("remove", fmt.Sprintf(`{"oid": "%s", "client": "another"}`, sai.SwitchOID), http.StatusOK)
	stopped("another client has detached", 1)
	call("remove", fmt.Sprintf(`{"oid": "%s", "client": "%sc"}`, sai.SwitchOID, longest), http.StatusBadRequest)
	call("remove", fmt.Sprintf(`{"oid": "%s", "client": "%s"}`, sai.SwitchOID, longest), http.StatusOK)
	stopped("the client has detached", 0)
}

// TestSAIWatch: a client gets the state of every port, and then what changes.
func TestSAIWatch(t *testing.T) {
	d := start(t, controltest.Ports())
	conn, err := net.Dial("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /v1/sai/watch HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	next := func() string {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "{") {
				return lines.Text()
			}
		}
		t.Fatalf("the stream has ended: %v", lines.Err())
		return ""
	}
	if line := next(); !strings.HasSuffix(line, `"state":1,"error":0}`) {
		t.Errorf("at first: %s", line)
	}
	d.Emit(model.Event{Port: "link0", Kind: model.EventOperStatus, Text: "down"}, time.Second)
	if line := next(); !strings.HasSuffix(line, `"state":2,"error":0}`) {
		t.Errorf("after an event: %s", line)
	}
}

// hubbed is a data plane whose events come from the daemon's hub, which drops events for a subscriber that lags.
type hubbed struct {
	reloaded
	hub model.Hub
}

// Subscribe subscribes to the hub.
func (h *hubbed) Subscribe() (<-chan model.Event, func()) { return h.hub.Subscribe() }

// TestSAIWatchEndsAfterALoss: the stream of a client that has missed events ends, so that the client reads all ports
// again.
func TestSAIWatchEndsAfterALoss(t *testing.T) {
	plane := &hubbed{reloaded: reloaded{controltest.New(controltest.Ports(), nil)}}
	kept := store.New(plane, linkAlone, zap.NewNop())
	d := startStore(t, plane.Backend, controltest.NewLLDP(), kept)
	conn, err := net.Dial("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /v1/sai/watch HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "{") {
		continue
	}
	kept.Freeze()    // the watch waits for the store with the first event
	for range 1000 { // more than the hub holds for a subscriber
		plane.hub.Emit(model.Event{Port: "link0", Kind: model.EventLLRTxStatus, Text: "FLUSH"})
	}
	kept.Thaw()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		continue
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream does not end: %v", err)
	}
}

// A server without a store says so.
func TestNoSAI(t *testing.T) {
	socket := control.Socket{Path: filepath.Join(t.TempDir(), "uelink.sock"), Mode: 0o600}
	l, err := control.Listen(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	server := control.NewServer(&controltest.Backend{}, &controltest.LLDP{}, zap.NewNop(), zap.NewAtomicLevel(),
		api.Status{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	client := client.NewClient(socket.Path)
	if _, err := client.SAIObjects(t.Context()); err == nil || !strings.Contains(err.Error(), "no objects of SAI") {
		t.Errorf("%v", err)
	}
	client.Close()
	if err := errors.Join(server.Shutdown(t.Context()), <-served); err != nil {
		t.Error(err)
	}
}
