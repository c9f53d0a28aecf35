package config

import (
	"net"
	"net/netip"
	"strings"

	"uelink/config/schema"
)

// Socket returns the path of the unix socket of the page; "" if the page is off or has an address.
func (p *Web) Socket() string {
	path, isUnix := strings.CutPrefix(p.Listen, UnixPrefix)
	if !isUnix {
		return ""
	}
	return path
}

// isLoopback reports whether only this host reaches the address of the page.
func (p *Web) isLoopback() bool {
	host, _, err := net.SplitHostPort(p.Listen)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// checkWeb refuses a web.listen address that other hosts reach, unless web.allow_remote is true and web.hosts has
// names. It also refuses keys of a unix socket for an address, and keys of an address for a unix socket.
func (w checks) checkWeb(p *Web) {
	isUnix := p.Socket() != ""
	switch {
	case p.Listen == "" || w.Wrong("web"):
	case isUnix || p.isLoopback():
	case !p.AllowRemote:
		w.FailAt("web.listen",
			"%q is reached from other hosts, and the page has no password: listen on a unix socket or "+
				"127.0.0.1, and reach it by ssh -L, or set web.allow_remote: true and web.hosts", p.Listen)
	case len(p.Hosts) == 0:
		w.FailAt("web.allow_remote",
			"web.hosts is missing: list the names by which browsers reach the page; others are "+
				"refused")
	}
	for _, key := range []string{"mode", "group"} {
		if path := schema.Join("web", key); p.Listen != "" && !isUnix && w.Has(path) {
			w.FailAt(path, "only a unix socket has this key: every user of this host may connect to %s", p.Listen)
		}
	}
}
