package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	o, err := parse([]string{"--only", "igb|e1000e", "--faults", "kill -9,linkdownup", "--cache", "/c",
		"--out", "docs"})
	if err != nil {
		t.Fatal(err)
	}
	if !o.only.MatchString("igb zero copy") || o.cache != "/c" || o.out != "docs" || o.programs != "bin" {
		t.Errorf("%+v", o)
	}
	if want := []string{"kill -9", "link down, up"}; !slices.Equal(o.faults, want) {
		t.Errorf("faults %q, want %q", o.faults, want)
	}
}

func TestWrongCommandLine(t *testing.T) {
	for _, args := range [][]string{{"igb"}, {"--only", "("}, {"--faults", "earthquake"}, {"--patience", "0"},
		{"--what"}} {
		if o, err := parse(args); err == nil {
			t.Errorf("%q was taken: %+v", args, o)
		}
	}
}

func TestFaultThatIsNotThereIsToldWithThoseThatAre(t *testing.T) {
	_, err := findFaults([]string{"earthquake"})
	if err == nil || !strings.Contains(err.Error(), `"earthquake"`) || !strings.Contains(err.Error(), "kill -9") {
		t.Errorf("%v", err)
	}
}

func TestCasesHaveNamesOfTheirOwn(t *testing.T) {
	names := caseNames()
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%q", names)
	}
}

func TestLockIsForOneAtATime(t *testing.T) {
	file := t.TempDir() + "/lock"
	unlock, err := lock(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		second, err := lock(t.Context(), file)
		if err == nil {
			second()
		}
		got <- err
	}()
	select {
	case <-got:
		t.Fatal("it was locked twice")
	default:
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := lock(ended, file); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever waits no longer has %v", err)
	}
	unlock()
	if err := <-got; err != nil {
		t.Error(err)
	}
}
