package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"uelink/config/schema"
)

// Limits of the kernel: a socket address holds 107 octets and a closing zero, an interface name 15, an altname 127, the
// name of a host 253.
const (
	maxSocketPath    = 107
	maxInterfaceName = 15
	maxAltname       = 127
	maxHost          = 253
)

// interfaceName returns the schema.Kind that parses an interface name of at most limit octets as the kernel accepts it.
// A name as ip link shows it, with the other end of a veth behind an @, is refused with the name to write.
func interfaceName(limit int) schema.Kind[string] {
	return schema.Text("interface", func(s string) error {
		name, other, pair := strings.Cut(s, "@")
		switch {
		case s == "":
			return errors.New("the name of an interface is missing")
		case pair:
			return fmt.Errorf("%q: leave out @%s, which ip link shows for the other end: %s", s, other, name)
		case len(s) > limit:
			return fmt.Errorf("%q is longer than the %d octets of an interface name", s, limit)
		case s == "." || s == ".." || strings.ContainsFunc(s,
			func(r rune) bool { return r <= ' ' || r == '/' || r == ':' || r == '%' || r == 0x7F }):
			return fmt.Errorf("%q is not the name of an interface",
				s) // from a name with %d the kernel makes another name
		}
		return nil
	})
}

// socketPath returns the schema.Kind that parses an absolute path for a unix socket.
func socketPath() schema.Kind[string] {
	return schema.Text("absolute path", func(s string) error {
		switch {
		case !filepath.IsAbs(s):
			return fmt.Errorf("%q is not an absolute path", s)
		case len(s) > maxSocketPath:
			return fmt.Errorf("%q is longer than the %d octets of a socket path", s, maxSocketPath)
		case strings.ContainsRune(s, 0):
			return fmt.Errorf("%q is not a path", s)
		}
		return nil
	})
}

// listenAddress returns the schema.Kind that parses host:port, or empty.
func listenAddress() schema.Kind[string] {
	return schema.Text("host:port, empty", func(s string) error {
		if s == "" {
			return nil
		}
		host, port, err := net.SplitHostPort(s)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return fmt.Errorf("%q is not host:port, such as 127.0.0.1:9464", s)
		}
		if !isHost(host) {
			return fmt.Errorf("%q is neither an IP address nor the name of a host, as in 127.0.0.1:9464", host)
		}
		return nil
	})
}

// isHost reports whether s may be the host in a listen address: an IP address, perhaps with a zone, a name, or
// empty for all addresses.
func isHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil || s == "" {
		return true
	}
	digits := !strings.ContainsFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	return len(s) <= maxHost && !digits && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && r != '-' && r != '_' && r != '.'
	})
}

// groupName returns the schema.Kind that parses a group of the host, by name or decimal id, or empty. It refuses
// blanks, control characters, colons and slashes, and does not look the group up.
func groupName() schema.Kind[string] {
	return schema.Text("group, empty", func(s string) error {
		if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == ':' || r == '/' || r == 0x7F }) {
			return fmt.Errorf("%q is not the name of a group", s)
		}
		return nil
	})
}

// interfacePattern returns the schema.Kind that parses a pattern of names of interfaces, as of a shell.
func interfacePattern() schema.Kind[string] {
	return schema.Text("pattern", func(s string) error {
		if _, err := path.Match(s, ""); err != nil || s == "" {
			return fmt.Errorf("%q is no pattern of names", s)
		}
		return nil
	})
}

// fileMode returns the schema.Kind that parses permission bits in octal. YAML reads 0660 without quotes as a
// number; fileMode reads the digits as written.
func fileMode() schema.Kind[os.FileMode] {
	json := schema.ScalarJSON(`^[0-7]{3,4}$`)
	return schema.NewKind("octal, 0000 to 0777", json, func(s schema.Scalar) (os.FileMode, error) {
		bits, err := strconv.ParseUint(s.Text, 8, 32)
		if err != nil || bits > 0o777 || len(s.Text) < 3 || len(s.Text) > 4 {
			return 0, fmt.Errorf("%q is not a mode: write three octal digits behind a 0, such as \"0660\"", s.Text)
		}
		return os.FileMode(bits), nil
	})
}

// etherType returns the schema.Kind that parses an EtherType that a link may use for its own frames.
func etherType() schema.Kind[uint16] {
	json := schema.IntegerJSON(0x0600, 0xFFFE)
	return schema.NewKind("EtherType, 0x0600 to 0xFFFE", json, func(s schema.Scalar) (uint16, error) {
		n, err := schema.Number(s)
		if err != nil {
			return 0, err
		}
		if n < 0 || n > 0xFFFF {
			return 0, fmt.Errorf("%s is not an EtherType: 0x0600 to 0xFFFE", s.Text)
		}
		if owner := etherTypeOwner(uint16(n)); owner != "" {
			return 0, fmt.Errorf("%s is taken: %s", s.Text, owner)
		}
		return uint16(n), nil
	})
}

// etherTypeOwner returns the name of the protocol that uses an EtherType and whose frames a link would lose, or
// "".
func etherTypeOwner(t uint16) string {
	switch {
	case t < 0x0600:
		return "values below 0x0600 are lengths"
	case t == 0xFFFF:
		return "reserved"
	}
	return map[uint16]string{
		0x0800: "IPv4", 0x0806: "ARP", 0x86DD: "IPv6",
		0x8100: "VLAN tag", 0x88A8: "VLAN service tag", 0x9100: "VLAN tag (old QinQ)",
		0x8808: "MAC control", 0x8809: "slow protocols (LACP)", 0x888E: "802.1X", 0x88CC: "LLDP",
		0x88E5: "MACsec", 0x88F7: "PTP", 0x8902: "CFM", 0x8906: "FCoE", 0x8914: "FIP", 0x8915: "RoCE",
		0x8847: "MPLS", 0x8848: "MPLS", 0x8863: "PPPoE", 0x8864: "PPPoE",
	}[t]
}

// capturePath returns the schema.Kind that parses an absolute path of a file to write, or empty.
func capturePath() schema.Kind[string] {
	return schema.Text("absolute path, empty", func(s string) error {
		if s != "" && !filepath.IsAbs(s) {
			return fmt.Errorf("%q is not an absolute path", s)
		}
		return nil
	})
}
