package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/control"
)

const withWeb = someConfig + "web: {listen: %q%s}\n"

// beginWithWeb starts a daemon that serves the page there.
func beginWithWeb(t *testing.T, listen, more string) *running {
	t.Helper()
	dir := t.TempDir()
	config, socket := filepath.Join(dir, "uelink.yaml"), filepath.Join(dir, "uelink.sock")
	if err := os.WriteFile(config, fmt.Appendf(nil, withWeb, "info", socket, listen, more), 0o600); err != nil {
		t.Fatal(err)
	}
	return beginWith(t, newFakeFrames(), config, socket, nil)
}

// dialer makes a connection to a page.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// pageOf asks for the page over connections of dial, and returns it. An open stream of changes stays behind.
func pageOf(t *testing.T, dial dialer) (page string, stream io.ReadCloser) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	get := func(path string) *http.Response {
		r, err := client.Get("http://localhost" + path)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", r, err)
		}
		return r
	}
	r := get("/")
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), get("/stream").Body
}

// The page is served on a unix socket or an address until the daemon ends, which does not wait for open pages.
func TestPageIsServed(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "web.sock")
	for name, c := range map[string]struct{ listen, more string }{
		"socket": {"unix:" + socket, ", mode: '0640', group: '0'"}, "address": {"127.0.0.1:0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := beginWithWeb(t, c.listen, c.more)
			line := r.logged("serving")
			dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }
			if url, isURL := line["url"].(string); isURL {
				dial = func(context.Context, string, string) (net.Conn, error) {
					return net.Dial("tcp", strings.Trim(strings.TrimPrefix(url, "http:"), "/"))
				}
			} else if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			page, stream := pageOf(t, dial)
			defer stream.Close()
			for _, want := range []string{"sends: ADVANCE", "the interface is down", "hostb"} {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			r.signals <- syscall.SIGTERM
			if code := r.ended(); code != 0 {
				t.Errorf("exit %d", code)
			}
			if _, err := io.ReadAll(stream); err != nil {
				t.Errorf("the end of the stream: %v", err)
			}
			if c, err := dial(t.Context(), "", ""); err == nil {
				c.Close()
				t.Error("the page is still served")
			}
			if _, err := os.Stat(socket); err == nil {
				t.Error("the socket is left")
			}
		})
	}
}

// A socket of the page that can never be ends the start, with the key to set.
func TestSocketOfThePageImpossible(t *testing.T) {
	r := beginWithWeb(t, "unix:/none/a/web.sock", "")
	r.logged("set another web.listen")
	if code := r.ended(); code != 2 {
		t.Errorf("exit %d", code)
	}
	r.gone()
}

// A successor has the listener of the page, and its socket is removed by the last process only, also if the
// configuration names another place by then.
func TestListenerOfThePageIsHandedOver(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "web.sock")
	for _, listen := range []string{"unix:" + socket, "127.0.0.1:0"} {
		before := &daemon{config: &config.Config{Web: config.Web{Listen: listen, Mode: 0o600}}, log: zap.NewNop()}
		if err := before.listenWeb(nil); err != nil {
			t.Fatal(err)
		}
		fds, err := before.handOverWeb()
		if err != nil {
			t.Fatal(err)
		}
		for i := range fds {
			if fds[i], err = unix.Dup(fds[i]); err != nil {
				t.Fatal(err)
			}
		}
		after := &daemon{config: &config.Config{Web: config.Web{Listen: "unix:/none"}}, log: zap.NewNop()}
		if err := after.adoptWeb(fds); err != nil {
			t.Fatal(err)
		}
		control.Leave(before.http.pages.boundListener())
		at := before.http.pages.Addr()
		if err := before.http.pages.Close(); err != nil {
			t.Error(err)
		}
		c, err := net.Dial(at.Network(), at.String())
		if err != nil {
			t.Fatalf("%s: the successor is not reached: %v", listen, err)
		}
		c.Close()
		if err := after.http.pages.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(filepath.Dir(socket)); err != nil || len(left) > 0 {
			t.Errorf("%s: left: %v, %v", listen, left, err)
		}
	}
}
