package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// taken returns a listener that has an address of this host.
func taken(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// troubles returns the problems of the daemon's own servers.
func (r *running) troubles() []string {
	r.t.Helper()
	s, err := r.client().Status(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s.Troubles
}

// An address of the metrics or the page that another program has does not keep the link from starting: the trouble is
// in the status, and the address is used as soon as it is free.
func TestTakenAddressIsWaitedFor(t *testing.T) {
	for key, begin := range map[string]func(at string) *running{
		"metrics.listen": func(at string) *running { return beginWithMetrics(t, at) },
		"web.listen":     func(at string) *running { return beginWithWeb(t, at, "") },
	} {
		t.Run(key, func(t *testing.T) {
			l := taken(t)
			at := l.Addr().String()
			r := begin(at)
			r.logged("ready")
			list := r.troubles()
			if len(list) != 1 || !strings.Contains(list[0], "address already in use") ||
				!strings.Contains(list[0], "type: uelink config set "+key+" 127.0.0.1:") {
				t.Errorf("%q", list)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if url := r.logged("serving")["url"].(string); !strings.HasPrefix(url, "http://"+at+"/") {
				t.Errorf("served at %s", url)
			}
			if list := r.troubles(); len(list) != 0 {
				t.Errorf("%q", list)
			}
			r.signals <- syscall.SIGTERM
			if code := r.ended(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

// The command of the trouble ends it: a reload names another address, which takes effect at once.
func TestTakenAddressIsReplacedByAReload(t *testing.T) {
	l := taken(t)
	r := beginWithMetrics(t, l.Addr().String())
	r.logged("ready")
	text, err := os.ReadFile(r.config)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(l.Addr().String()), []byte("127.0.0.1:0"), 1)
	if err := os.WriteFile(r.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.signals <- syscall.SIGHUP
	url := r.logged("serving")["url"].(string)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
	answer.Body.Close()
	eventually(t, "no trouble", func() bool { return len(r.troubles()) == 0 })
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// A daemon that waits for an address ends at once.
func TestEndWhileAnAddressIsTaken(t *testing.T) {
	r := beginWithMetrics(t, taken(t).Addr().String())
	r.logged("ready")
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	r.gone()
}
