package web

import (
	"net/http"
	"strings"
	"testing"

	"uelink/control/controltest"
)

// Who may read the page, by the Host, the Origin and the Sec-Fetch headers of the request.
func TestWhoMayRead(t *testing.T) {
	s := serve(t, &daemon{ports: controltest.Ports()}, "monitor.example", "2001:db8::1")
	const site = "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"
	const navigate = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: "
	const own, other = "Origin: http://localhost:8470", "Origin: http://evil.example"
	for _, c := range []struct {
		path   string
		header string
		want   int
	}{
		{"/", "Host: localhost", 200},
		{"/", "Host: LOCALHOST.:8470", 200},
		{"/", "Host: 127.0.0.1:8470", 200},
		{"/", "Host: 127.3.2.1", 200},
		{"/", "Host: [::1]:8470", 200},
		{"/", "Host: [::ffff:127.0.0.1]:80", 200},
		{"/", "Host: monitor.example:443", 200},
		{"/", "Host: [2001:DB8:0::1]", 200},
		{"/", "Host: evil.example", 403}, // its name points here now
		{"/", "Host: evil.example:8470", 403},
		{"/", "Host: localhost.evil.example", 403},
		{"/", "Host: evil.example\r\nX-Forwarded-Host: localhost", 403},
		{"/", "Host: 192.0.2.1:8470", 403},
		{"/", "Host: ", 403},
		{"/style.css", "Host: evil.example", 403},
		{"/stream", "Host: evil.example", 403},
		{"/", "Host: localhost:8470\r\n" + own, 200},
		{"/", "Host: monitor.example\r\nOrigin: https://monitor.example", 200},
		{"/", "Host: localhost:8470\r\n" + other, 403},
		{"/", "Host: localhost:8471\r\n" + own, 403}, // another service of this host
		{"/", "Host: localhost:8470\r\nOrigin: null", 403},
		{"/", "Host: localhost:8470\r\n" + own + "\r\n" + other, 403},
		{"/stream", "Host: localhost:8470\r\n" + other, 403},
		{"/", "Host: localhost\r\nSec-Fetch-Site: none", 200},
		{"/page.js", "Host: localhost\r\nSec-Fetch-Site: same-origin", 200},
		{"/", site + navigate + "document", 200},
		{"/", site + navigate + "iframe", 403},
		{"/page.js", "Host: localhost\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors", 403},
		{"/stream", site + navigate + "document", 403},
		{"/none", "Host: localhost", 404},
		{"/assets/page.html", "Host: localhost", 404},
	} {
		r, body := s.ask(http.MethodGet, c.path, strings.Split(c.header, "\r\n")...)
		if r.StatusCode != c.want {
			t.Errorf("%s, %q: %d, want %d", c.path, c.header, r.StatusCode, c.want)
		}
		if c.want != http.StatusOK && strings.Contains(body, "link0") {
			t.Errorf("%s, %q: it shows the state: %s", c.path, c.header, body)
		}
		if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") ||
			strings.Contains(csp, "unsafe") || !strings.HasPrefix(csp, "default-src 'none'") ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Cache-Control") != "no-store" ||
			r.Header.Get("Set-Cookie") != "" || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s, %q: header %v", c.path, c.header, r.Header)
		}
	}
	if _, body := s.ask(http.MethodGet, "/", "Host: evil.example"); !strings.Contains(body, "web.hosts") {
		t.Errorf("who is refused does not learn the key: %s", body)
	}
}

// The page is read only.
func TestMethods(t *testing.T) {
	s := serve(t, &daemon{ports: controltest.Ports()})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "BREW"} {
		for _, path := range []string{"/", "/stream", "/none"} {
			r, _ := s.ask(method, path)
			if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, %q", method, path, r.StatusCode, r.Header.Get("Allow"))
			}
		}
	}
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/stream": "text/event-stream",
		"/style.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml"} {
		if r, body := s.ask(http.MethodHead, path); r.StatusCode != 200 ||
			r.Header.Get("Content-Type") != kind || body != "" {
			t.Errorf("HEAD %s: %d, %v, %q", path, r.StatusCode, r.Header, body)
		}
	}
}
