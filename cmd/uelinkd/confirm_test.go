package main

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/client"
	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// A daemon that nobody confirms takes everything back, without delivering what it holds, and ends with its own code.
func TestNotConfirmed(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "300ms")
	r.logged("waiting for confirmation")
	r.logged("ready")
	r.logged("not confirmed within 300ms: the daemon has undone its changes")
	if code := r.ended(); code != exitUnconfirmed {
		t.Errorf("exit %d", code)
	}
	notes := r.noted()
	if slices.Contains(notes, "drain") || !slices.Contains(notes, "close") || !slices.Contains(notes, "withdraw") {
		t.Errorf("%q", notes)
	}
	r.gone()
}

func TestConfirmed(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "1h")
	r.logged("ready")
	c := r.client()
	if s, err := c.Status(t.Context()); err != nil || s.Confirm <= 0 || s.Confirm > 3600 {
		t.Errorf("%+v, %v", s, err)
	}
	if err := c.Confirm(t.Context()); err != nil {
		t.Error(err)
	}
	r.logged("confirmed over the control socket")
	if s, err := c.Status(t.Context()); err != nil || s.Confirm != 0 {
		t.Errorf("afterwards %+v, %v", s, err)
	}
	refusedConfirm(t, c)
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// slowFrames takes its time to tell of its ports, as it does before the daemon is ready.
type slowFrames struct {
	*fakeFrames
	asked, answer chan struct{}
	once          sync.Once
}

func (f *slowFrames) Ports() []model.PortState {
	f.once.Do(func() {
		close(f.asked)
		<-f.answer
	})
	return f.fakeFrames.Ports()
}

// A confirmation that comes as soon as the daemon answers, and before it is ready, counts.
func TestConfirmedBeforeReady(t *testing.T) {
	f := &slowFrames{fakeFrames: newFakeFrames(), asked: make(chan struct{}), answer: make(chan struct{})}
	open := func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return f, nil }
	r := begin(t, f.fakeFrames, open, "--confirm", "1h")
	<-f.asked
	if err := r.client().Confirm(t.Context()); err != nil {
		t.Error(err)
	}
	close(f.answer)
	r.logged("ready")
	if s, err := r.client().Status(t.Context()); err != nil || s.Confirm != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// What comes while the time runs does not change it: a reload goes on under it, and a signal ends the daemon as ever.
func TestSignalsBeforeConfirmation(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "1h")
	r.logged("ready")
	r.signals <- syscall.SIGHUP
	r.logged("configuration reloaded")
	if s, err := r.client().Status(t.Context()); err != nil || s.Confirm <= 0 {
		t.Errorf("after a reload: %+v, %v", s, err)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 || !slices.Contains(r.noted(), "drain") {
		t.Errorf("exit %d, %q", code, r.noted())
	}
	r.gone()
}

func TestNothingToConfirm(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	refusedConfirm(t, r.client())
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func refusedConfirm(t *testing.T, c *client.Client) {
	t.Helper()
	var e *api.Error
	if err := c.Confirm(t.Context()); !errors.As(err, &e) || e.Status != http.StatusConflict {
		t.Errorf("there is nothing to confirm: %v", err)
	}
}

func TestConfirmIsATime(t *testing.T) {
	for _, text := range []string{"-1s", "0s", "0", "30", "soon", ""} {
		if _, err := parse([]string{"--config", "f", "--confirm", text}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// another is the configuration of begin with another interface of its link.
func (r *running) another(ifname string) {
	r.t.Helper()
	r.configure(strings.ReplaceAll(fmt.Sprintf(someConfig, "info", r.socket), "eth1", ifname))
}

// links is the interfaces of the link in the reloads so far.
func (r *running) links() (ifnames []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.reloads {
		ifnames = append(ifnames, s.Ports[0].Interface)
	}
	return ifnames
}

// A reload that nobody confirms is taken back, and the daemon goes on, also with reloads that are confirmed.
func TestReloadIsConfirmed(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "1h")
	r.logged("ready")
	c := r.client()
	confirm := func() {
		t.Helper()
		if err := c.Confirm(t.Context()); err != nil {
			t.Error(err)
		}
	}
	confirm()
	r.another("eth2")
	r.signals <- syscall.SIGHUP
	r.logged("waiting for confirmation: the configuration before the reload comes back")
	if s, err := c.Status(t.Context()); err != nil || s.Confirm <= 0 {
		t.Errorf("%+v, %v", s, err)
	}
	confirm()
	refusedConfirm(t, c)
	r.another("eth3")
	r.signals <- syscall.SIGHUP
	r.logged("waiting for confirmation")
	r.another("eth2") // what was confirmed: there is nothing to confirm
	r.signals <- syscall.SIGHUP
	r.logged("configuration reloaded")
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if want := []string{"eth2", "eth3", "eth2"}; !slices.Equal(r.links(), want) {
		t.Errorf("reloads with %q, want %q", r.links(), want)
	}
}

func TestReloadIsNotConfirmed(t *testing.T) {
	m := newManager(t, filepath.Join(t.TempDir(), "notify"))
	r := begin(t, newFakeFrames(), nil, "--confirm", "4s")
	r.logged("ready")
	m.told()
	if err := r.client().Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ifname := range []string{"eth2", "eth3"} { // the time begins anew with the second
		r.another(ifname)
		r.signals <- syscall.SIGHUP
		r.logged("waiting for confirmation")
	}
	r.logged("the reload was not confirmed: the previous configuration is in force again")
	if s, err := r.client().Status(t.Context()); err != nil || s.Confirm != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, want := range []string{"RELOADING=1", "READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1"} {
		if told := m.told(); told[0] != want {
			t.Errorf("%q, want %s", told, want)
		}
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if want := []string{"eth2", "eth3", "eth1"}; !slices.Equal(r.links(), want) {
		t.Errorf("reloads with %q, want %q", r.links(), want)
	}
}

// A reload while the start is to be confirmed is taken back with it.
func TestStartIsNotConfirmedAfterAReload(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "2s")
	r.logged("ready")
	r.another("eth2")
	r.signals <- syscall.SIGHUP
	r.logged("configuration reloaded")
	r.logged("not confirmed within 2s")
	if code := r.ended(); code != exitUnconfirmed {
		t.Errorf("exit %d", code)
	}
}

// A time that is over while a reload begins another one is not mistaken for the end of that.
func TestTimeThatIsOverWhenAnotherBegins(t *testing.T) {
	c := newConfirmation(time.Hour)
	c.begin(zap.NewNop(), "this")
	c.expire(c.timer)
	if !c.pending() || c.Confirm() {
		t.Error("it is not over")
	}
	c.begin(zap.NewNop(), "that")
	first := c.timer
	c.begin(zap.NewNop(), "something else")
	c.expire(first)
	if len(c.done) > 0 || !c.pending() || c.Left() <= 0 {
		t.Error("the time of before has ended this one")
	}
	c.stop()
	if c.pending() || c.Left() != 0 {
		t.Error("it is pending")
	}
}
