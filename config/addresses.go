package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// TakenAddress is an address of metrics.listen or web.listen on which uelinkd cannot listen now. uelinkd starts without
// this server, and tries again.
type TakenAddress struct {
	Key     string // of the configuration
	Address string
	Err     error
}

// String returns the problem in words.
func (t TakenAddress) String() string {
	return fmt.Sprintf("%s: %v: uelinkd runs without this server, and tries again until the address is free",
		t.Key, t.Err)
}

// Command returns the command that sets an address to try instead.
func (t TakenAddress) Command() string {
	return fmt.Sprintf("uelink config set %s %s", t.Key, Instead(t.Address, t.Err))
}

// TakenAddresses returns the addresses of metrics.listen and web.listen on which this host cannot listen now. Unix
// sockets are left out. While a daemon of this configuration runs, the list is empty: the addresses are in use by the
// daemon itself.
func (c *Config) TakenAddresses() (taken []TakenAddress) {
	if running, err := net.Dial("unix", c.Control.Socket); err == nil {
		_ = running.Close()
		return nil
	}
	for key, at := range map[string]string{"metrics.listen": c.Metrics.Listen, "web.listen": c.Web.Listen} {
		if at == "" || strings.HasPrefix(at, UnixPrefix) {
			continue
		}
		l, err := net.Listen("tcp", at)
		if err != nil {
			taken = append(taken, TakenAddress{key, at, err})
			continue
		}
		_ = l.Close()
	}
	return taken
}

// Instead returns an address to try in place of at, on which listening has failed with err: the next port if the port
// is in use, a port that needs no privilege (8000 higher), or 127.0.0.1 if the host lacks the configured address. For a
// unix socket it returns the path with a 2 at its end.
func Instead(at string, err error) string {
	if path, ok := strings.CutPrefix(at, UnixPrefix); ok {
		return UnixPrefix + path + "2"
	}
	host, text, _ := net.SplitHostPort(at)
	port, _ := strconv.Atoi(text)
	switch {
	case errors.Is(err, unix.EACCES):
		port += 8000
	case errors.Is(err, unix.EADDRINUSE):
		port++
	default:
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}
