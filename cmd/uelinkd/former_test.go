package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/snapshot"
)

// The process that has made a relay is the one before.
func TestFormerOfARelay(t *testing.T) {
	r, theirs, err := newRelay()
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	other, err := relayOf(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	f, err := newFormer(other)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(f.pidfd)
	if f.pid != unix.Getpid() {
		t.Errorf("it is process %d", f.pid)
	}
}

// A reload waits until the former process has ended, for a time.
func TestReloadWaitsForTheFormerProcess(t *testing.T) {
	sleep := exec.CommandContext(t.Context(), "sleep", "100")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	f := &former{pid: sleep.Process.Pid, ended: make(chan struct{})}
	var err error
	if f.pidfd, err = unix.PidfdOpen(f.pid, 0); err != nil {
		t.Fatal(err)
	}
	go f.watch()
	if err := f.left(1); err == nil || !strings.Contains(err.Error(), "type kill -9") {
		t.Errorf("it runs: %v", err)
	}
	_ = sleep.Process.Kill()
	if err := f.left(patience); err != nil {
		t.Error(err)
	}
	_ = sleep.Wait()
	if err := (*former)(nil).left(0); err != nil {
		t.Errorf("there was none: %v", err)
	}
}

// A process that hands over in another way is refused in these words. One of a version that does not name its way hands
// over in the first.
func TestOtherWayOfHandingOver(t *testing.T) {
	for way, want := range map[int]string{
		0: "", handoverVersion: "", handoverVersion + 1: "version 9.9 hands over in another way",
	} {
		err := sameHandover(message{Word: wordReady, Version: "9.9", Handover: way})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", way, err)
		}
	}
}

// A successor that is too old for the state is refused in the words of the operator: what is lost by which choice. Any
// other is refused for its reason alone.
func TestRefusalOfAnOldSuccessor(t *testing.T) {
	unknown := fmt.Errorf("restore dataplane: later: %w", snapshot.ErrUnknown)
	said := refusal("/usr/bin/uelinkd", "0.9", errors.New(unknown.Error())).Error() // as it comes by the relay
	for _, words := range []string{
		"version 0.9 is too old", "no frame is lost", "install it again", "restart the daemon: counters begin at 0",
		"later: unknown field of a newer version", "this daemon goes on",
	} {
		if !strings.Contains(said, words) {
			t.Errorf("no %q in %q", words, said)
		}
	}
	if said := refusal("/usr/bin/uelinkd", "0.9", io.EOF).Error(); strings.Contains(said, "too old") {
		t.Error(said)
	}
}
