package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// policy is the Content-Security-Policy of every answer: nothing comes from elsewhere, no script or style stands in the
// page itself, and no other page may frame this one.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard refuses requests that another site causes a browser to make, and requests that would change something.
type guard struct {
	hosts map[string]bool // in lower case, without port and brackets
}

// newGuard returns a guard that accepts the given names and addresses of this host, and addresses of loopback.
func newGuard(hosts []string) guard {
	g := guard{map[string]bool{"localhost": true}}
	for _, h := range hosts {
		g.hosts[plainHost(h)] = true
	}
	return g
}

// plainHost returns a host in the form in which two names of one host are equal: in lower case, without a last dot, and
// an IP address in its usual form.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// protect returns a handler that sets the headers of every answer, and calls next for requests that may read the page.
// It refuses other methods than GET and HEAD (405), and requests that come from another site (403).
func (g guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the page is read only: only GET and HEAD are allowed", http.StatusMethodNotAllowed)
			return
		}
		if reason := g.refusal(r); reason != "" {
			http.Error(w, reason, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusal returns why a request must not read the page, in words; "" if it may.
func (g guard) refusal(r *http.Request) string {
	if host := hostOf(r.Host); !g.knows(host) {
		return fmt.Sprintf("%q is no name of this host for the page: use localhost, or add the name to web.hosts in "+
			"the configuration", host)
	}
	if origin, given := r.Header["Origin"]; given && !sameHost(origin, r.Host) {
		return "a web page of another site may not read this page of uelinkd"
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "" || site == "same-origin" || site == "none":
	case r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document":
	default: // other sites may only link to the page
		return "a web page of another site may not read this page of uelinkd"
	}
	return ""
}

// hostOf returns the host of a Host header, without port and brackets.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return plainHost(host)
	}
	return plainHost(strings.TrimSuffix(strings.TrimPrefix(header, "["), "]"))
}

// knows reports whether host is a name or an address by which a browser may ask for the page.
func (g guard) knows(host string) bool {
	ip, err := netip.ParseAddr(host)
	return g.hosts[host] || err == nil && ip.IsLoopback()
}

// sameHost reports whether the only Origin of a request is the host and port that the request is for.
func sameHost(origins []string, host string) bool {
	if len(origins) != 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}
