package config

import (
	"net"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A taken address is foreseen, unless the daemon that has it is that of the configuration.
func TestTakenAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := &Config{Metrics: Metrics{Listen: l.Addr().String()}, Web: Web{Listen: "127.0.0.1:0"}}
	c.Control.Socket = t.TempDir() + "/uelink.sock"
	taken := c.TakenAddresses()
	if len(taken) != 1 || !strings.Contains(taken[0].String(), "metrics.listen") ||
		!strings.Contains(taken[0].String(), "address already in use") ||
		!strings.HasPrefix(taken[0].Command(), "uelink config set metrics.listen 127.0.0.1:") {
		t.Errorf("%+v", taken)
	}
	running, err := net.Listen("unix", c.Control.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if taken := c.TakenAddresses(); len(taken) != 0 {
		t.Errorf("%v beside a running daemon", taken)
	}
}

// The address that the command names is another one, which may be had.
func TestAddressInstead(t *testing.T) {
	for _, c := range []struct {
		at   string
		err  error
		want string
	}{
		{"10.0.0.1:9100", unix.EADDRINUSE, "10.0.0.1:9101"},
		{"10.0.0.1:80", unix.EACCES, "10.0.0.1:8080"},
		{"[::1]:9464", unix.EAFNOSUPPORT, "127.0.0.1:9464"},
		{":9464", unix.EADDRINUSE, ":9465"},
		{"unix:/run/uelink/web.sock", unix.EADDRINUSE, "unix:/run/uelink/web.sock2"},
	} {
		if got := Instead(c.at, c.err); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.at, c.err, got, c.want)
		}
	}
}
