package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A capture that would take the place of the configuration, of a socket or of another capture is refused, by whatever
// path it names it: it would remove the file that it finds.
func TestCapturesThatNameOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"real", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{
		"linked": "real", "real/uelink.yaml": "../other/target.yaml", "capture.pcapng": "elsewhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	const none = ""
	for _, c := range []struct{ first, second, want string }{
		{"/real/uelink.yaml", none, "the configuration itself"},
		{"/linked/uelink.yaml", none, "the configuration itself"},
		{"/real/../linked/./uelink.yaml", none, "the configuration itself"},
		{"/other/target.yaml", none, "the configuration itself"},
		{"/real/uelink.sock", none, "the control socket"},
		{"/linked/uelink.sock", none, "the control socket"},
		{"/linked/uelink.sock.lock", none, "the lock file of the control socket"},
		{"/real/web.sock", none, "the socket of the web page"},
		{"/linked/web.sock.lock", none, "the lock file of the web page's socket"},
		{"/real/a", "/real/a", "the capture of port l0"},
		{"/real/a", "/linked/a", "the capture of port l0"},
		{"/real/a", "/real//a", "the capture of port l0"},
		{"/none/a", "/none/./a", "the capture of port l0"},
		{"/real/a", "/other/a", none},
		{"/real/a", none, none},
	} {
		text := fmt.Sprintf(
			"control: {socket: %[1]s/linked/uelink.sock}\nweb: {listen: \"unix:%[1]s/linked/web.sock\"}\n"+
				"ports:\n  - {name: l0, interface: i0, role: link, capture: %[2]q}\n"+
				"  - {name: e0, interface: i1, role: edge, capture: %[3]q}\nxconnects: [{edge: e0, link: l0}]\n",
			dir, dir+c.first, map[bool]string{true: dir + c.second}[c.second != none])
		file := filepath.Join(dir, "real", "uelink.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file)
		said := fmt.Sprint(err)
		if (c.want == none) != (err == nil) || c.want != none && !strings.Contains(said, c.want+": name another file") {
			t.Errorf("%s and %s: got %v, want %q", c.first, c.second, err, c.want)
		}
	}
}

// The page cannot have the control socket's place.
func TestPageAtTheControlSocket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "uelink.yaml")
	socket := filepath.Join(filepath.Dir(file), "uelink.sock")
	text := fmt.Appendf(nil, "control: {socket: %s}\nweb: {listen: \"unix:%[1]s\"}\n", socket)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "web.listen: ") ||
		!strings.Contains(err.Error(), "is the control socket: name another file") {
		t.Errorf("got %v", err)
	}
}
