package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/client"
	"uelink/cmd/uelink/support"
	"uelink/cmd/uelink/view"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// The file has everything, and its owner alone may read it.
func TestSupport(t *testing.T) {
	b, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	happened := model.Event{Time: time.Now(), Port: "link0", Kind: model.EventOperStatus, Text: "the event of old"}
	b.Emit(happened, 0)
	name := filepath.Join(t.TempDir(), "report.txt")
	stdout, stderr, code := uelink(t.Context(), socket, "support", name)
	if code != 0 || !strings.HasPrefix(stdout, name+": ") ||
		!strings.Contains(stdout, "look through it before you send it") {
		t.Fatalf("exit %d, %s %s", code, stdout, stderr)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	octets, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"uelink support, made ", ", uelinkd v1.2.3, process 7, since 2026-11-21T08:00:00Z", "Linux ", "What stands out:",
		"===== Host =====", "===== Configuration /etc/uelink.yaml =====", "the event of old", "llr_tx_ok ....",
		"LLR Profile: careful", view.NoBridges, "SysName:      hostb", "DCBX of port link0 (eth1)",
		"total_discarded_frames", "LLDP interfaces:",
		"===== States of the protocol machines =====\nport link1\nuelink-state 1 port\n",
	} {
		if !strings.Contains(string(octets), want) {
			t.Errorf("no %q", want)
		}
	}
}

// Nothing is replaced, no link is followed, and a file that cannot be is refused with what
// to do.
func TestSupportReplacesNothing(t *testing.T) {
	_, socket := startWith(t, nil, &controltest.LLDP{})
	dir := t.TempDir()
	there, target, link := filepath.Join(dir, "there"), filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(there, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		there: "is there already", link: "is there already", filepath.Join(dir, "none", "f"): "name a file in a directory",
	} {
		_, stderr, code := uelink(t.Context(), socket, "support", name)
		if code != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "or - for standard output") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	if octets, _ := os.ReadFile(there); string(octets) != "mine" {
		t.Errorf("it was replaced by %q", octets)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("the link was followed")
	}
}

// A full disk is said at once, and no half a file stays.
func TestSupportOnAFullDisk(t *testing.T) {
	_, socket := startWith(t, nil, &controltest.LLDP{})
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"--socket", socket, "support", "-"}, errorWriter{}, &stderr); code != 1 ||
		!strings.Contains(stderr.String(), "disk full") {
		t.Errorf("exit %d, %s", code, &stderr)
	}
}

// Without a daemon there is a report too, which begins with why there is none.
func TestSupportWithoutADaemon(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.sock")
	stdout, stderr, code := uelink(t.Context(), none, "support", "-")
	top := strings.Join(strings.Split(stdout, "\n")[:7], "\n")
	if code != 0 || !strings.Contains(top, "no daemon: there is no socket "+none) ||
		!strings.Contains(top, "no uelinkd") {
		t.Errorf("exit %d, %s %s", code, top, stderr)
	}
	var r support.Report
	stdout, _, code = uelink(t.Context(), none, "support", "-", "-o", "json")
	err := json.Unmarshal([]byte(stdout), &r)
	if err != nil || code != 0 || r.Uelinkd != nil || r.Ports == nil || r.Host.Kernel == "" {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
}

// What stands out of ports and peers on which something is the matter.
func TestFindings(t *testing.T) {
	var text strings.Builder
	for _, c := range []struct {
		title string
		ports []model.PortState
		lldp  *controltest.LLDP
	}{
		{"three ports", controltest.Ports(), controltest.NewLLDP()},
		{"peers", nil, controltest.NewTroubled()},
		{"nothing", controltest.Ports()[2:], &controltest.LLDP{}},
	} {
		_, socket := startWith(t, c.ports, c.lldp)
		client := client.NewClient(socket)
		r := support.Gather(t.Context(), client, "", time.Now())
		client.Close()
		r.Interfaces = nil // of this host
		text.WriteString(c.title + "\n")
		for _, line := range r.Findings() {
			text.WriteString("- " + line + "\n")
		}
	}
	golden(t, "support-findings.txt", text.String())
}

// Without a daemon the report has the configuration that is named, its problems, and the interfaces in it.
func TestSupportOfAConfiguration(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.sock")
	file := filepath.Join(t.TempDir(), "uelink.yaml")
	text := "ports:\n  - {name: link0, interface: lo, role: link}\n  - {name: edge0, interface: none9, role: edge}\n" +
		"xconnects: [{edge: edge0, link: link0}]\n"
	report := func(text string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, stderr, code := uelink(t.Context(), none, "support", "--config", file, "-")
		if code != 0 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return out
	}
	right := report(text)
	for _, want := range []string{
		"no uelinkd", "- the daemon: no daemon", "===== Configuration " + file, "interface: none9", "Interface lo\n",
		"not available: interface none9", "===== Journal =====",
	} {
		if !strings.Contains(right, want) {
			t.Errorf("no %q in\n%s", want, right)
		}
	}
	if wrong := report(text + "port: 3\n"); !strings.Contains(wrong,
		"- configuration: "+file+":5:1: port: unknown key") {
		t.Errorf("a wrong configuration:\n%s", wrong)
	}
}
