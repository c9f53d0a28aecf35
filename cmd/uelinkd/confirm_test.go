package main

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/zap"

	"uelink/control"
	"uelink/dataplane"
)

// A daemon that nobody confirms takes everything back, without delivering what it holds, and ends with its own code.
func TestNotConfirmed(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "300ms")
	r.logged("waiting for confirmation")
	r.logged("ready")
	r.logged("not confirmed within 300ms: everything is as it was before")
	if code := r.ended(); code != exitUnconfirmed {
		t.Errorf("exit %d", code)
	}
	if notes := r.noted(); slices.Contains(notes, "drain") || !slices.Contains(notes, "close") {
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
	r.logged("confirmed by control")
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

func (f *slowFrames) Ports() []dataplane.PortState {
	f.once.Do(func() {
		close(f.asked)
		<-f.answer
	})
	return f.fakeFrames.Ports()
}

// A confirmation that comes as soon as the daemon answers, and before it is ready, counts.
func TestConfirmedBeforeReady(t *testing.T) {
	f := &slowFrames{fakeFrames: newFakeFrames(), asked: make(chan struct{}), answer: make(chan struct{})}
	open := func(dataplane.Settings, *zap.Logger) (frames, error) { return f, nil }
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

func refusedConfirm(t *testing.T, c *control.Client) {
	t.Helper()
	var e *control.Error
	if err := c.Confirm(t.Context()); !errors.As(err, &e) || e.Status != http.StatusConflict {
		t.Errorf("there is nothing to confirm: %v", err)
	}
}

func TestConfirmIsATime(t *testing.T) {
	for _, text := range []string{"-1s", "soon", ""} {
		if _, err := parse([]string{"--config", "f", "--confirm", text}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
