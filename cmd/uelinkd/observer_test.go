package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// State that the data plane or the daemon cannot keep is wanted and not in force, each with its word, until it is kept.
func TestStateThatIsNotKept(t *testing.T) {
	f := newFakeFrames()
	full := errors.New("no space left on device")
	f.unkept.Store(&dataplane.Unkept{Addresses: full, Records: full})
	r := begin(t, f, nil)
	r.logged("ready")
	unmet := func() (words []string) {
		status, err := r.client().Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range status.Unmet {
			if u.Port != "" {
				continue
			}
			if !strings.Contains(u.Problem, full.Error()) {
				t.Errorf("%s: %s", u.What, u.Problem)
			}
			words = append(words, u.What)
		}
		return words
	}
	await := func(want ...string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); !slices.Equal(unmet(), want); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%q, want %q", unmet(), want)
			}
		}
	}
	await(api.WantedAddresses, api.WantedRecords)
	f.unkept.Store(nil)
	await()
	last := r.published.Load()
	if last == nil || last.Kind != model.EventState || !strings.HasPrefix(last.Text, "over: ") {
		t.Errorf("the end is no event: %+v", last)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// A start that cannot be counted is counted later, when there is room.
func TestStartIsCountedLater(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("STATE_DIRECTORY", state)
	if err := os.WriteFile(state, nil, 0o600); err != nil { // no folder
		t.Fatal(err)
	}
	f := startsOf(api.DefaultSocket)
	n, _, err := f.count(time.Now())
	d := &daemon{frames: newFakeFrames(), begun: counted{f, n, err}}
	if u := d.keep(); err == nil || u.starts == nil {
		t.Errorf("%v, %v", err, u.starts)
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if u := d.keep(); u.starts != nil {
		t.Error(u.starts)
	}
	if text, err := os.ReadFile(f.file); err != nil || !strings.Contains(string(text), "in_a_row") {
		t.Errorf("%s, %v", text, err)
	}
}

// Since when a problem has been there outlives a reload and a restart, and not a boot.
func TestSinceOutlivesRestarts(t *testing.T) {
	f := newFakeFrames()
	since := func(r *running) time.Time {
		status, err := r.client().Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range status.Lines {
			if l.State != "ok" && l.Since != nil {
				return *l.Since
			}
		}
		t.Fatalf("no problem: %+v", status.Lines)
		return time.Time{}
	}
	f.unkept.Store(&dataplane.Unkept{Records: errors.New("no space left on device")})
	r := begin(t, f, nil)
	r.logged("ready")
	old := filepath.Join(filepath.Dir(filepath.Dir(onsetsFile(r.socket))), "an-earlier-boot")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(onsetsFile(r.socket)); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the times are not kept")
		}
	}
	first := since(r)
	if _, err := r.client().Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := since(r); !again.Equal(first) {
		t.Errorf("after a reload since %v, before since %v", again, first)
	}
	r.signals <- syscall.SIGTERM
	r.ended()
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	o := newObserver(r.socket)
	if _, err := os.Stat(old); err == nil {
		t.Error("the folder of an earlier boot is left")
	}
	if text, _ := o.onsets.Save(); !strings.Contains(string(text), api.WantedRecords) {
		t.Errorf("the next process knows %s", text)
	}
}
