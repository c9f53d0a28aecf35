// Package dcbnltest makes an interface look like a NIC with DCB to other programs, and runs two such programs on it:
// lldpad, and dcb of iproute2.
package dcbnltest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns/nstest"
)

//go:embed testdata/card.c
var source []byte

// Card is a NIC with DCB. It exists for programs with its environment only; the kernel and programs in Go do not see
// it.
type Card struct {
	t       testing.TB
	library string
	dir     string
}

// NewCard returns a NIC with the settings of a driver at its start. Without a C compiler NewCard skips the test.
func NewCard(t testing.TB) *Card {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		nstest.Missing(t, "package gcc")
	}
	c := &Card{t: t, dir: t.TempDir()}
	c.library = filepath.Join(c.dir, "card.so")
	file := filepath.Join(c.dir, "card.c")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
		"-o", c.library, file, "-ldl").CombinedOutput()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return c
}

// Environment returns the environment of a program that sees the NIC at interfaces whose names begin with link.
func (c *Card) Environment() []string {
	return append(os.Environ(), "LD_PRELOAD="+c.library, "DCBNL_IF=link", "DCBNL_STATE="+filepath.Join(c.dir, "state"),
		"DCBNL_LOG="+filepath.Join(c.dir, "log"))
}

// DCB runs dcb of iproute2 with the words of args and returns its output.
func (c *Card) DCB(args string) string {
	c.t.Helper()
	if _, err := exec.LookPath("dcb"); err != nil {
		nstest.Missing(c.t, "package iproute2")
	}
	cmd := exec.Command("dcb", strings.Fields(args)...)
	cmd.Env = c.Environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("dcb %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// The attributes of IEEE_SET, as Set takes them.
const (
	ETS = "20.13.1"
	PFC = "20.13.2"
	App = "20.13.3.1" // an entry of the Application table
)

// Set returns the octets of every attribute of a kind that was set so far, hexadecimal, in order.
func (c *Card) Set(kind string) (octets []string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "log"))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if path, value, _ := strings.Cut(strings.TrimSpace(line), " "); path == kind {
			octets = append(octets, value)
		}
	}
	return octets
}
