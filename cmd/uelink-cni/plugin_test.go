package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
)

// codeOf returns CNI's code of an error; 0 for none.
func codeOf(err error) uint {
	var e *types.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// TestNamesOfTheHostEnd: the names fit the kernel, however long network and container are named, and tell attachments
// apart; the alias says whose the interface is.
func TestNamesOfTheHostEnd(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range []attachment{
		{"n", "c", "eth0"}, {"n", "c", "eth1"}, {"n", "d", "eth0"}, {"m", "c", "eth0"},
		{strings.Repeat("n", 100), strings.Repeat("c", 100), "eth0"}, {strings.Repeat("n", 100), strings.Repeat("c", 101), "eth0"},
	} {
		if seen[a.hostEnd()] || len(a.hostEnd()) != 15 || len(a.altname()) > longestAltname || seen[a.altname()] {
			t.Errorf("%+v: %s, %s", a, a.hostEnd(), a.altname())
		}
		seen[a.hostEnd()], seen[a.altname()] = true, true
		if back, ok := parseAlias(a.network, a.alias()); !ok || back != a {
			t.Errorf("%+v: %q is %+v, %t", a, a.alias(), back, ok)
		}
		if _, ok := parseAlias("other", a.alias()); ok {
			t.Errorf("%q is of another network", a.alias())
		}
	}
}

// TestWrongConfigurations: what is wrong in the configuration of a network has CNI's code and names the key.
func TestWrongConfigurations(t *testing.T) {
	for text, want := range map[string]struct {
		code uint
		word string
	}{
		`{"name": "n", "bridge": "br0"}`:                                                {},
		`{"name": "n", "link": "link0", "mtu": 1500}`:                                   {},
		`{"name": "n", "bridge": "br0", "runtimeConfig": {"mac": "02:00:00:00:00:01"}}`: {},
		`{"name": "n"`:  {types.ErrDecodingFailure, "JSON"},
		`{"name": "n"}`: {types.ErrInvalidNetworkConfig, "bridge or link"},
		`{"name": "n", "bridge": "br0", "mtu": 67}`:                                     {types.ErrInvalidNetworkConfig, "mtu 67"},
		`{"name": "n", "link": "l", "member": {"pvid": 1}}`:                             {types.ErrInvalidNetworkConfig, "member"},
		`{"name": "n", "bridge": "b", "member": {"port": "x"}}`:                         {types.ErrInvalidNetworkConfig, "member.port"},
		`{"name": "n", "bridge": "b", "port": {"interface": "eth0"}}`:                   {types.ErrInvalidNetworkConfig, "port.interface"},
		`{"name": "n", "bridge": "b", "runtimeConfig": {"mac": "x"}}`:                   {types.ErrInvalidNetworkConfig, "mac"},
		`{"name": "n", "bridge": "b", "runtimeConfig": {"mac": "01:00:00:00:00:01"}}`:   {types.ErrInvalidNetworkConfig, "mac"},
		`{"name": "n", "bridge": "b", "cniVersion": "1.1.0", "prevResult": {"ips": 7}}`: {types.ErrDecodingFailure, "prevResult"},
	} {
		_, err := readConf(&skel.CmdArgs{StdinData: []byte(text)})
		if codeOf(err) != want.code || err != nil && !strings.Contains(err.Error(), want.word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSandboxIsANamespace: a file that is no namespace is refused, and so is a link to one.
func TestSandboxIsANamespace(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc/self/ns/net", link); err != nil {
		t.Fatal(err)
	}
	for path, gone := range map[string]bool{link: false, "/proc/self/ns/net": false, "/dev/null": true,
		"/nowhere": true} {
		s, err := openSandbox(path)
		if codeOf(err) != types.ErrInvalidNetNS || errors.Is(err, errNoSandbox) != gone {
			t.Errorf("%s: %v, %v", path, s, err)
		}
	}
}

// TestInstall: the program comes whole, also over a former one and half a one of a killed install, and nothing else.
func TestInstall(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{owner, ".uelink-cni-123"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("former"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := command([]string{"install", folder}); err != nil {
		t.Fatal(err)
	}
	self, _ := os.Executable()
	want, _ := os.ReadFile(self)
	got, err := os.ReadFile(filepath.Join(folder, owner))
	info, statErr := os.Stat(filepath.Join(folder, owner))
	if err != nil || statErr != nil || !bytes.Equal(got, want) || info.Mode() != 0o755 {
		t.Errorf("%d octets of %d, %v, %v", len(got), len(want), info, errors.Join(err, statErr))
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("%v", entries)
	}
	for _, args := range [][]string{{"install"}, {"remove", folder}, {"install", filepath.Join(folder, "none")}} {
		if err := command(args); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}

// TestDaemonHasNoCNI: the libraries of CNI are in this program alone.
func TestDaemonHasNoCNI(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "uelink/cmd/uelinkd", "uelink/cmd/uelink").CombinedOutput()
	if err != nil || strings.Contains(string(out), "containernetworking") {
		t.Errorf("%v: %s", err, out)
	}
}
