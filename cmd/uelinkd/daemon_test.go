package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/dataplane"
)

func TestLifeOfADaemon(t *testing.T) {
	for name, address := range map[string]string{
		"notify by path":     filepath.Join(t.TempDir(), "notify"),
		"notify by abstract": "@uelinkd-test-" + filepath.Base(t.TempDir()) + t.Name(),
	} {
		t.Run(name, func(t *testing.T) {
			m := newManager(t, address)
			r := begin(t, newFakeFrames(), nil)
			line := r.logged("ready")
			if line["ports"] != 3.0 || line["socket"] != r.socket || line["level"] != "info" {
				t.Errorf("%v", line)
			}
			if diff := cmp.Diff([]string{"READY=1", "STATUS=3 ports"}, m.told()); diff != "" {
				t.Error(diff)
			}
			if status, err := r.client().Status(t.Context()); err != nil || status.Config != r.config {
				t.Errorf("%+v, %v", status, err)
			}
			r.signals <- syscall.SIGTERM
			if code := r.ended(); code != 0 {
				t.Errorf("exit %d", code)
			}
			if told := m.told(); told[0] != "STOPPING=1" {
				t.Errorf("%q", told)
			}
			if diff := cmp.Diff([]string{"good-bye", "drain", "run ended", "close"}, r.noted()); diff != "" {
				t.Error(diff)
			}
			r.gone()
		})
	}
}

// The API answers while the daemon drains.
func TestDraining(t *testing.T) {
	f := newFakeFrames()
	f.drained = make(chan struct{})
	r := begin(t, f, nil)
	r.logged("ready")
	r.signals <- syscall.SIGINT
	r.logged("stopping")
	if _, err := r.client().Ports(t.Context()); err != nil {
		t.Error(err)
	}
	close(f.drained)
	r.logged("drained")
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestDrainTimeoutIsSaid(t *testing.T) {
	f := newFakeFrames()
	f.held = true
	r := begin(t, f, nil)
	r.logged("ready")
	r.signals <- syscall.SIGTERM
	r.logged("drain_timeout passed")
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestSecondSignalDoesNotWait(t *testing.T) {
	f := newFakeFrames()
	f.drained = make(chan struct{})
	r := begin(t, f, nil)
	r.logged("ready")
	r.signals <- syscall.SIGTERM
	r.signals <- syscall.SIGHUP // of no meaning now
	r.signals <- syscall.SIGTERM
	r.logged("stopping at once")
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if notes := r.noted(); !slices.Contains(notes, "close") {
		t.Errorf("%v", notes)
	}
	r.gone()
	close(f.drained)
}

// A request that does not end is cut off, and is no failure.
func TestRequestThatHangs(t *testing.T) {
	f := newFakeFrames()
	f.hung = make(chan struct{})
	r := begin(t, f, nil)
	r.logged("ready")
	asked := make(chan error, 1)
	go func() {
		_, err := r.client().LLRProfiles(context.Background())
		asked <- err
	}()
	for deadline := time.Now().Add(patience); !slices.Contains(r.noted(), "profiles"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the request never came")
		}
	}
	r.signals <- syscall.SIGTERM
	r.logged("requests cut off")
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if err := <-asked; err == nil {
		t.Error("the request was answered")
	}
	close(f.hung)
	r.gone()
}

// coded is an error with an exit code of its own.
type coded struct{ code int }

func (c coded) Error() string { return fmt.Sprintf("port link0: means exit code %d", c.code) }
func (c coded) ExitCode() int { return c.code }

func TestOpenFails(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{coded{3}, 3},
		{coded{2}, 2},
		{fmt.Errorf("wrapped: %w", coded{3}), 3},
		{fmt.Errorf("create program: %w", syscall.EPERM), 3},
		{errors.New("anything else"), 1},
	} {
		refused := func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return nil, c.err }
		r := begin(t, newFakeFrames(), refused)
		if line := r.logged(c.err.Error()); line["level"] != "error" {
			t.Errorf("%v", line)
		}
		if code := r.ended(); code != c.code {
			t.Errorf("%v: exit %d, want %d", c.err, code, c.code)
		}
		r.gone()
	}
}

func TestRunFails(t *testing.T) {
	for err, message := range map[error]string{
		errors.New("worker 0 died"): "worker 0 died",
		nil:                         "data plane ended by itself",
	} {
		r := begin(t, newFakeFrames(), nil)
		r.logged("ready")
		r.fail <- err
		r.logged(message)
		if code := r.ended(); code != 1 {
			t.Errorf("exit %d", code)
		}
		if diff := cmp.Diff([]string{"run ended", "good-bye", "close"}, r.noted()); diff != "" {
			t.Error(diff)
		}
		r.gone()
	}
}

// A second daemon on the same socket is refused before it touches an interface.
func TestSecondDaemon(t *testing.T) {
	first := begin(t, newFakeFrames(), nil)
	first.logged("ready")
	second := beginWith(t, newFakeFrames(), first.config, first.socket,
		func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) {
			t.Error("interfaces were taken")
			return nil, errors.New("taken")
		})
	second.logged(fmt.Sprintf("(process %d): stop it, or set another control.socket", os.Getpid()))
	if code := second.ended(); code != 1 {
		t.Errorf("exit %d", code)
	}
	if _, err := first.client().Status(t.Context()); err != nil {
		t.Errorf("the first daemon is gone: %v", err)
	}
	first.signals <- syscall.SIGTERM
	first.ended()
}

// A daemon that waits for another one's socket ends at once at a signal, with 0.
func TestSignalWhileWaiting(t *testing.T) {
	first := begin(t, newFakeFrames(), nil)
	first.logged("ready")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		second := beginWith(t, newFakeFrames(), first.config, first.socket,
			func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return nil, errors.New("taken") })
		second.signals <- syscall.SIGHUP // is of no use yet
		second.signals <- s
		second.logged("stopping")
		if code := second.ended(); code != 0 {
			t.Errorf("%v: exit %d", s, code)
		}
	}
	first.signals <- syscall.SIGTERM
	first.ended()
}

func TestReload(t *testing.T) {
	m := newManager(t, filepath.Join(t.TempDir(), "notify"))
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	m.told()
	r.configure(strings.ReplaceAll(fmt.Sprintf(someConfig, "debug", r.socket), "xconnects",
		"metrics: {listen: \"127.0.0.1:0\"}\nweb: {listen: \"127.0.0.1:0\"}\nworkers: 2\nxconnects"))
	r.signals <- syscall.SIGHUP
	warned := []string{r.logged("next start")["key"].(string), r.logged("next start")["key"].(string),
		r.logged("next start")["key"].(string)}
	slices.Sort(warned)
	if diff := cmp.Diff([]string{"metrics", "web", "workers"}, warned); diff != "" {
		t.Error(diff)
	}
	if line := r.logged("configuration reloaded"); line["log_level"] != "debug" {
		t.Errorf("%v", line)
	}
	if told := m.told(); told[0] != "RELOADING=1" || !regexp.MustCompile(`^MONOTONIC_USEC=\d+$`).MatchString(told[1]) {
		t.Errorf("%q", told)
	}
	if diff := cmp.Diff([]string{"READY=1"}, m.told()); diff != "" {
		t.Error(diff)
	}
	if level, err := r.client().LogLevel(t.Context()); err != nil || level.Level != "debug" {
		t.Errorf("%v, %v", level, err)
	}
	r.signals <- syscall.SIGTERM
	r.ended()
	if len(r.reloads) != 1 || r.reloads[0].Workers != 2 {
		t.Errorf("%+v", r.reloads)
	}
}

// A configuration that is not right is refused line by line, and the daemon goes
// on with the old one.
func TestReloadOfABadConfiguration(t *testing.T) {
	m := newManager(t, filepath.Join(t.TempDir(), "notify"))
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	m.told()
	r.configure("log: {level: loud}\nbogus: 1\n")
	r.signals <- syscall.SIGHUP
	for _, want := range []string{":1:14: log.level", ":2:1: bogus"} {
		if line := r.logged("configuration refused"); !strings.Contains(line["error"].(string), r.config+want) {
			t.Errorf("%v", line)
		}
	}
	m.told() // RELOADING=1
	if told := m.told(); told[0] != "READY=1" {
		t.Errorf("%q", told)
	}
	if _, err := r.client().Ports(t.Context()); err != nil {
		t.Error(err)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 || len(r.reloads) != 0 {
		t.Errorf("exit %d, %d reloads", code, len(r.reloads))
	}
}

// A client that asks for a reload gets the outcome. After a refusal the file is wanted and not in force until a reload
// succeeds, and there is an event.
func TestReloadByTheAPI(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	good := fmt.Sprintf(someConfig, "debug", r.socket)
	for _, c := range []struct{ text, refused, event string }{
		{good, "", "is in force"},
		{strings.ReplaceAll(good, "role: link", "role: lnk"), `"lnk" is not one of`, "is refused, and the former configuration goes on"},
		{good, "", "is in force"},
	} {
		r.configure(c.text)
		done, err := r.client().Reload(t.Context())
		if told := strings.Join(done.Errors, "; "); err != nil || len(done.Errors) > 0 != (c.refused != "") ||
			!strings.Contains(told, c.refused) {
			t.Errorf("%+v, %v, want %q", done, err, c.refused)
		}
		status, err := r.client().Status(t.Context())
		if told := unmetIn(status, api.WantedConfiguration); err != nil || (told != "") != (c.refused != "") ||
			!strings.Contains(told, c.refused) {
			t.Errorf("unmet %q, %v, want %q", told, err, c.refused)
		}
		if last := r.published.Load(); !strings.Contains(last.Text, r.config+" "+c.event) {
			t.Errorf("the event %+v, want %q", last, c.event)
		}
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 || len(r.reloads) != 2 {
		t.Errorf("exit %d, %d reloads", code, len(r.reloads))
	}
}

// A reload refuses what a start would refuse: a document that means harm, a group and a capture that cannot be.
func TestReloadIsCheckedLikeAStart(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	good := fmt.Sprintf(someConfig, "info", r.socket)
	for text, want := range map[string]string{
		strings.Repeat("[", 200000): "more than 32 lists and mappings inside each other",
		"null\n":                    "the file has no content",
		strings.ReplaceAll(good, "mode:", "group: none-has-this, mode:"):         `no group "none-has-this" on this host`,
		strings.ReplaceAll(good, "role: link", "role: link, capture: "+r.config): "is the configuration itself",
		strings.ReplaceAll(good, "role: link", "role: link, capture: "+r.socket): "is the control socket",
	} {
		r.configure(text)
		r.signals <- syscall.SIGHUP
		if line := r.logged("configuration refused"); !strings.Contains(line["error"].(string), want) {
			t.Errorf("got %v, want %s", line, want)
		}
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 || len(r.reloads) != 0 {
		t.Errorf("exit %d, %d reloads", code, len(r.reloads))
	}
}

// A reload that the data plane refuses is not tried again with the configuration of before: nothing was changed.
func TestReloadThatTheDataPlaneRefuses(t *testing.T) {
	f := newFakeFrames()
	f.refuse = errors.New("port link0: no interface eth9")
	r := begin(t, f, nil)
	r.logged("ready")
	r.configure(strings.ReplaceAll(fmt.Sprintf(someConfig, "debug", r.socket), "eth1", "eth9"))
	r.signals <- syscall.SIGHUP
	if line := r.logged("configuration refused"); line["error"] != "port link0: no interface eth9" {
		t.Errorf("%v", line)
	}
	if level, err := r.client().LogLevel(t.Context()); err != nil || level.Level != "info" {
		t.Errorf("%v, %v", level, err)
	}
	r.signals <- syscall.SIGTERM
	r.ended()
	if len(r.reloads) != 1 || r.reloads[0].Ports[0].Interface != "eth9" {
		t.Errorf("%+v", r.reloads)
	}
}

// What LLDP refuses is found before the data plane is told.
func TestReloadThatLLDPRefuses(t *testing.T) {
	f := newFakeFrames()
	f.lldp.wrong = errors.New("port link0: no such identity")
	r := begin(t, f, nil)
	r.logged("ready")
	r.signals <- syscall.SIGHUP
	if line := r.logged("configuration refused"); line["error"] != "port link0: no such identity" {
		t.Errorf("%v", line)
	}
	r.signals <- syscall.SIGTERM
	r.ended()
	if len(r.reloads) != 0 {
		t.Errorf("%+v", r.reloads)
	}
}
