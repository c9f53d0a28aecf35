package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/datadriven"

	"uelink/config"
	"uelink/control"
	"uelink/control/api"
)

// second is a second link with its edge.
func second(name string) api.PortAddition {
	return api.PortAddition{
		Name: name,
		Ports: []map[string]any{
			{"name": "link9", "interface": "eth9", "role": "link"}, {"name": "edge9", "interface": "veth9", "role": "edge"},
		},
		XConnects: []map[string]any{{"edge": "edge9", "link": "link9"}},
	}
}

// keptFiles returns the files of additions below the folders of the test.
func keptFiles() (names []string) {
	for _, folder := range []string{runtimeFolder(), stateFolder()} {
		files, _ := filepath.Glob(filepath.Join(folder, "ports*", "*")) // an error: a wrong pattern
		for _, file := range files {
			names = append(names, strings.TrimPrefix(file, filepath.Dir(filepath.Dir(filepath.Dir(file)))+"/"))
		}
	}
	return names
}

// statusOf returns the HTTP status of a refusal; 0 for no error.
func statusOf(err error) int {
	var refusal *api.Error
	if errors.As(err, &refusal) {
		return refusal.Status
	}
	return 0
}

// portsBed starts a daemon whose folders are those of the test.
func portsBed(t *testing.T, args ...string) *running {
	t.Setenv("RUNTIME_DIRECTORY", filepath.Join(t.TempDir(), "run"))
	t.Setenv("STATE_DIRECTORY", filepath.Join(t.TempDir(), "state"))
	r := begin(t, newFakeFrames(), nil, args...)
	r.logged("ready")
	return r
}

// end ends the daemon.
func (r *running) end() {
	r.t.Helper()
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		r.t.Errorf("exit %d", code)
	}
}

// Ports are added, changed, kept over a start, and removed; each change is one of all settings, or of none.
func TestPortsByAPI(t *testing.T) {
	r := portsBed(t)
	c := r.client()
	add := func(a api.PortAddition, changed bool) {
		t.Helper()
		if done, err := c.AddPorts(t.Context(), a); err != nil || done.Changed != changed ||
			!slices.Equal(done.Ports, []string{"link9", "edge9"}) {
			t.Errorf("%+v, %v", done, err)
		}
	}
	add(second("more"), true)
	add(second("more"), false)
	if done, err := c.SetPort(t.Context(), "edge9", map[string]any{"push_back": "off"}); err != nil || !done.Changed {
		t.Errorf("%+v, %v", done, err)
	}
	r.refuse = errors.New("the driver refuses")
	if _, err := c.SetPort(t.Context(), "edge9",
		map[string]any{"push_back": nil}); statusOf(err) != http.StatusConflict ||
		!strings.Contains(err.Error(), "the driver refuses") {
		t.Errorf("a refusal of the data plane: %v", err)
	}
	persisted := second("more")
	persisted.Persist = true
	add(persisted, true)
	if kept := keptFiles(); len(kept) != 1 || !strings.HasPrefix(kept[0], "state/ports-") {
		t.Errorf("%q is kept", kept)
	}
	s, err := c.Configuration(t.Context())
	if err != nil || len(s.Files) != 2 || !strings.Contains(s.Running, "link9") || s.Unread {
		t.Errorf("%+v, %v", s, err)
	}
	r.end()

	again := beginWith(t, newFakeFrames(), r.config, r.socket, nil)
	again.logged("ready")
	if done, err := again.client().RemovePorts(t.Context(), "link9"); err != nil || done.Name != "more" {
		t.Errorf("%+v, %v", done, err)
	}
	if kept := keptFiles(); len(kept) != 0 {
		t.Errorf("%q is left", kept)
	}
	again.end()
}

// An addition in which uelink config save has set a key as YAML can still be changed and removed.
func TestPortsThatWereSaved(t *testing.T) {
	r := portsBed(t)
	c := r.client()
	done, err := c.AddPorts(t.Context(), second("more"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(done.File)
	if err != nil {
		t.Fatal(err)
	}
	saved := strings.Replace(string(text), `"name": "edge9",`, `"name": "edge9", push_back: off,`, 1)
	if err := os.WriteFile(done.File, []byte(saved), 0o600); err != nil {
		t.Fatal(err)
	}
	if outcome, err := c.Reload(t.Context()); err != nil || len(outcome.Errors) > 0 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if _, err := c.SetPort(t.Context(), "edge9", map[string]any{"mtu": "check"}); err != nil {
		t.Error(err)
	}
	if _, err := c.RemovePorts(t.Context(), "edge9"); err != nil {
		t.Error(err)
	}
	r.end()
}

// What is wrong is refused with a status and a reason, and changes nothing.
func TestRefusedPorts(t *testing.T) {
	r := portsBed(t)
	c := r.client()
	add := func(change func(*api.PortAddition)) func() error {
		a := second("more")
		change(&a)
		return func() error { _, err := c.AddPorts(t.Context(), a); return err }
	}
	remove := func(name string) func() error {
		return func() error { _, err := c.RemovePorts(t.Context(), name); return err }
	}
	for _, refusal := range []struct {
		ask    func() error
		status int
		want   string
	}{
		{add(func(a *api.PortAddition) { a.Name = "../x" }), 400, `name: "../x"`},
		{add(func(a *api.PortAddition) { a.Ports = nil }), 400, "at least one port"},
		{add(func(a *api.PortAddition) { a.XConnects = nil }), 400, "more.yaml:"},
		{add(func(a *api.PortAddition) { a.Ports[0]["mtuu"] = 1 }), 400, "unknown key"},
		{add(func(a *api.PortAddition) { a.Ports[0]["name"] = "link0" }), 400, "is already the name of ports[0] (line "},
		{remove("link0"), 409, "port link0 stands in " + r.config},
		{remove("nobody"), 404, "the API has added no port nobody"},
		{func() error { _, err := c.SetPort(t.Context(), "nobody", map[string]any{"mtu": "set"}); return err }, 404, "no port nobody"},
	} {
		if err := refusal.ask(); statusOf(err) != refusal.status || !strings.Contains(err.Error(), refusal.want) {
			t.Errorf("%d, %v, want %d, %s", statusOf(err), err, refusal.status, refusal.want)
		}
	}
	if kept := keptFiles(); len(kept) != 0 || len(r.reloads) != 0 {
		t.Errorf("%q is kept, %d changes of the data plane", kept, len(r.reloads))
	}
	full := filepath.Join(runtimeFolder())
	if err := errors.Join(os.RemoveAll(full), os.WriteFile(full, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := add(func(*api.PortAddition) {})(); statusOf(err) != http.StatusConflict ||
		!strings.Contains(err.Error(), "save the ports that the API has added") || len(r.reloads) != 0 {
		t.Errorf("without room for the file: %v, %d changes", err, len(r.reloads))
	}
	r.end()
}

// What a killed process left of a file of ports is removed by the next start, and is no addition.
func TestHalfAFileOfPorts(t *testing.T) {
	r := portsBed(t)
	if _, err := r.client().AddPorts(t.Context(), second("more")); err != nil {
		t.Fatal(err)
	}
	kept := keptFiles()
	boot, _ := portFolders(r.config)
	if err := os.WriteFile(filepath.Join(boot, ".new-123"), []byte(`{"ports": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.end()
	again := beginWith(t, newFakeFrames(), r.config, r.socket, nil)
	again.logged("ready")
	if is := keptFiles(); !slices.Equal(is, kept) {
		t.Errorf("there are %q, before %q", is, kept)
	}
	again.end()
}

// A reload that waits for its confirmation is not mixed with ports by the API.
func TestPortsWaitForConfirmation(t *testing.T) {
	r := portsBed(t, "--confirm", "1h")
	if _, err := r.client().AddPorts(t.Context(), second("more")); statusOf(err) != http.StatusConflict {
		t.Errorf("before a confirmation: %v", err)
	}
	r.end()
}

// TestTableOfRights: who may ask the API for what, in the words of the refusal.
func TestTableOfRights(t *testing.T) {
	datadriven.RunTest(t, "testdata/rights", func(t *testing.T, d *datadriven.TestData) string {
		var rights config.ControlPorts
		for _, arg := range d.CmdArgs {
			rights.Group, rights.Interfaces = "4711", arg.Vals
		}
		return tableOfRights(rights)
	})
}

// tableOfRights returns, for each caller and each request, "allowed" or the refusal.
func tableOfRights(rights config.ControlPorts) string {
	port := func(key string, value any) addition {
		return addition{Ports: []map[string]any{{"name": "p", "interface": "pod1", key: value}}}
	}
	with := func(a addition, change func(*addition)) addition { change(&a); return a }
	own := port("role", "edge")
	var b strings.Builder
	for _, caller := range []struct {
		name string
		by   control.Caller
	}{
		{"root", control.Caller{}}, {"daemon's user", control.Caller{UID: uint32(os.Geteuid())}},
		{"group", control.Caller{UID: 1 << 20, Groups: []uint32{7, 4711}}}, {"other", control.Caller{UID: 1 << 20}},
	} {
		for _, request := range []struct {
			name string
			a    addition
		}{
			{"a port on pod1", own}, {"a port on the uplink eth0", port("interface", "eth0")},
			{"a port with the host's end eth0", port("host_interface", "eth0")},
			{"a port with capture: /etc/shadow", port("capture", "/etc/shadow")},
			{"a port with labels", port("labels", map[string]any{"owner": "x"})},
			{"a port in the bridge br0", with(own, func(a *addition) {
				a.Bridges = []map[string]any{{"name": "br0", "ports": []any{map[string]any{"port": "p"}}}}
			})},
			{"a bridge with ageing", with(own, func(a *addition) {
				a.Bridges = []map[string]any{{"name": "br9", "ageing": "1s"}}
			})},
			{"an xconnect", with(own, func(a *addition) {
				a.XConnects = []map[string]any{{"edge": "p", "link": "link0"}}
			})},
		} {
			verdict := "allowed"
			if err := mayChange(request.a, rights, caller.by); err != nil {
				verdict = err.Error()
			}
			fmt.Fprintf(&b, "%s: %s: %s\n", caller.name, request.name, verdict)
		}
	}
	return b.String()
}

// Root and the daemon's user may change all ports, a group those on its interfaces, and others none.
func TestWhoMayChangePorts(t *testing.T) {
	owner := control.Caller{UID: uint32(os.Geteuid())}
	member, stranger := control.Caller{UID: 1 << 20, Groups: []uint32{7, 4711}}, control.Caller{UID: 1 << 20}
	rights := config.ControlPorts{Group: "4711", Interfaces: []string{"pod*"}}
	port := func(keys ...string) addition {
		p := map[string]any{"name": "p", "interface": "pod1"}
		for i := 0; i < len(keys); i += 2 {
			p[keys[i]] = keys[i+1]
		}
		return addition{Ports: []map[string]any{p}}
	}
	withBridge := port()
	withBridge.Bridges = []map[string]any{{"name": "br9", "ageing": "1s"}}
	for _, c := range []struct {
		a      addition
		by     control.Caller
		rights config.ControlPorts
		want   string
	}{
		{port(), owner, config.ControlPorts{}, ""},
		{withBridge, owner, rights, ""},
		{port("capture", "/x"), owner, rights, ""},
		{port(), member, rights, ""},
		{port("host_interface", "pod2"), member, rights, ""},
		{port(), stranger, rights, "may not change ports"},
		{port(), member, config.ControlPorts{}, "may not change ports"},
		{port(), member, config.ControlPorts{Group: "no such group", Interfaces: rights.Interfaces}, "may not change ports"},
		{port("interface", "eth0"), member, rights, "may not use interface eth0"},
		{port("host_interface", "eth0"), member, rights, "may not use interface eth0"},
		{port("capture", "/x"), member, rights, "may name a file"},
		{withBridge, member, rights, "may create a bridge"},
	} {
		err := mayChange(c.a, c.rights, c.by)
		if c.want == "" && err != nil || c.want != "" &&
			(statusOf(err) != 403 || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v by %+v: %v, want %q", c.a.Ports, c.by, err, c.want)
		}
	}
}
