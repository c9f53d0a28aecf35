package main

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// unmetIn returns the problem of a thing that is wanted and not in force by a status; "" if it is in force.
func unmetIn(s api.Status, what string) string {
	i := slices.IndexFunc(s.Unmet, func(u api.Unmet) bool { return u.What == what })
	if i < 0 {
		return ""
	}
	return s.Unmet[i].Problem
}

// An upgrade that is refused is an error for who asks, an event, and a thing wanted and not in force.
func TestRefusedUpgrade(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	_, err := r.client().HandOver(t.Context(), api.Upgrade{Binary: "/bin/false"})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.ExitCode() != 1 {
		t.Fatalf("%v", err)
	}
	status, err := r.client().Status(t.Context())
	if told := unmetIn(status, api.WantedUpgrade); err != nil || !strings.Contains(told, refused.Message) ||
		!strings.Contains(told, "type: uelink upgrade") {
		t.Errorf("%q, %v", told, err)
	}
	if last := r.published.Load(); last.Kind != model.EventError ||
		!strings.Contains(last.Text, "the upgrade asked for by") {
		t.Errorf("%+v", last)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// A refused upgrade stays wanted until an upgrade, or a check of one, succeeds. A refused check is no refused upgrade.
func TestRefusedUpgradeIsOver(t *testing.T) {
	var r upgradeRefusal
	now, failed, check := time.Now(), errors.New("no memory"), api.Upgrade{Check: true}
	for i, c := range []struct {
		u      api.Upgrade
		err    error
		wanted bool
	}{
		{check, failed, false}, {api.Upgrade{}, failed, true}, {check, failed, true}, {check, nil, false},
		{api.Upgrade{}, failed, true}, {api.Upgrade{}, nil, false},
	} {
		r.record(c.u, c.err, now)
		if u := r.unmet(); (u.What == api.WantedUpgrade) != c.wanted {
			t.Errorf("%d: %+v", i, u)
		}
	}
}
