package web

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// address is where the daemon B serves its page, in its namespace.
const address = "127.0.0.1:8470"

// A setting of B's link, and what the status of A says about it.
const (
	otherDialect = "dialect: ue1"
	ofDialect    = "partner speaks dialect ue1, this port seed"
)

// pair starts two daemons with a virtual channel of credits. A serves its page on a unix socket, whose path is
// returned, and B at address.
func pair(t *testing.T) (top *bed.Topology, p bed.Pair, socket string) {
	t.Helper()
	top = bed.Direct(t)
	socket = filepath.Join(t.TempDir(), "web.sock")
	p = bed.Pair{
		A: bed.NewDaemon(t, top.A, "A", settings(fmt.Sprintf("web: {listen: %q, mode: '0600'}", "unix:"+socket), "")),
		B: bed.NewDaemon(t, top.B, "B", settingsOfB("")),
	}
	p.Start()
	return top, p, socket
}

func settings(top, link string) bed.Settings {
	return bed.Settings{
		Link: "vcs: 2, lldp: {mode: rx-tx, tx_interval: 1s}, cbfc: {mode: static, vcs: [{index: 1, lossless: true, limit: 64}]}" +
			bed.AppendKeys(link),
		Top: top,
	}
}

// settingsOfB returns the configuration of B with further keys of its link. B's name is HTML.
func settingsOfB(link string) bed.Settings {
	const name = "<img src=x onerror=alert(1)>"
	return settings(fmt.Sprintf("web: {listen: %q}\nlldp: {system_name: %q}", address, name), link)
}

// browser returns a client whose connections begin in a namespace: to a unix socket, or where the URL says if it is "".
func browser(ns *netns.NS, socket string) *http.Client {
	dial := func(ctx context.Context, network, to string) (c net.Conn, err error) {
		if socket != "" {
			network, to = "unix", socket
		}
		err = ns.Do(func() (err error) {
			c, err = new(net.Dialer).DialContext(ctx, network, to)
			return err
		})
		return c, err
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

// get returns the status and the body of an answer; 0 and the error if there is none.
func get(c *http.Client, url string) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), bed.Patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err.Error()
	}
	r, err := c.Do(q)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(text)
}

// Two daemons serve their pages, on a unix socket and at loopback. A page says what uelink status says; an open one
// follows the link into trouble and out of it, and the next page comes from the successor after an upgrade.
func TestPagesOfALink(t *testing.T) {
	t.Parallel()
	top, p, socket := pair(t)
	p.A.EndsLast()
	p.B.EndsLast()
	if info, err := os.Stat(socket); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("the socket of A: %v, %v", info, err)
	}
	a, b := browser(top.A, socket), browser(top.B, "")
	const urlA, urlB = "http://localhost:12345/", "http://" + address + "/" // the port of A is that of ssh -L
	for name, page := range map[string]func() (int, string){
		"A": func() (int, string) { return get(a, urlA) }, "B": func() (int, string) { return get(b, urlB) },
	} {
		if code, text := page(); code != http.StatusOK || !strings.Contains(text, "sends: ADVANCE") ||
			!strings.Contains(text, "All well: 2 ports without a problem.") {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	if code, text := get(a, "http://evil.example/"); code != http.StatusForbidden {
		t.Errorf("a name that is not this host's: %d %s", code, text)
	}

	r, err := a.Get(urlA + "stream")
	bed.Must(t, err)
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	follow := func(words string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return
			}
		}
		t.Fatalf("the stream has ended before %q: %v", words, lines.Err())
	}
	end := time.AfterFunc(2*bed.Patience, func() { r.Body.Close() })
	defer end.Stop()
	follow("All well")
	p.B.Reload(settingsOfB(otherDialect).Text(p.B.Socket))
	follow(ofDialect)
	worst := p.A.Tool("status").Objects()[0]
	if _, text := get(a, urlA); !strings.Contains(text, html.EscapeString(worst["problem"].(string))) {
		t.Errorf("the page does not say what uelink status says, %q:\n%s", worst["problem"], text)
	}
	p.B.Reload(settingsOfB("dialect: seed").Text(p.B.Socket))
	follow("All well")
	follow("&lt;img src=x onerror=alert(1)&gt;")

	p.A.Upgrade()
	for lines.Scan() { // until the former process ends it
	}
	p.B.Upgrade()
	for url, of := range map[string]*http.Client{urlA: a, urlB: b} {
		if code, text := get(of, url); code != http.StatusOK || !strings.Contains(text, "has taken over") {
			t.Errorf("%s after the upgrade: %d %s", url, code, text)
		}
	}
}
