package guest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/netns"
)

// looks is all that a namespace tells of some interfaces, line by line: attributes of the links as `ip -d link` has
// them, addresses, routes, and features of ethtool.
func looks(ns *netns.NS, ifnames ...string) (lines []string, err error) {
	for _, name := range ifnames {
		settings, err := settings(ns, name)
		if err != nil {
			return nil, err
		}
		features, err := ethtoolSays(ns, "-k", name)
		if err != nil {
			return nil, err
		}
		lines = slices.Concat(lines, settings, features)
	}
	return lines, nil
}

// settings is what looks has of an interface, without features.
func settings(ns *netns.NS, ifname string) (lines []string, err error) {
	err = ns.Do(func() error {
		l, err := netlink.LinkByName(ifname)
		if err != nil {
			return err
		}
		addresses, err := netlink.AddrList(l, netlink.FAMILY_V4)
		if err != nil {
			return err
		}
		routes, err := netlink.RouteList(l, netlink.FAMILY_V4)
		lines = append(attributes(l), fmt.Sprint(ifname, " addresses ", addresses), fmt.Sprint(ifname, " routes ", routes))
		return err
	})
	return lines, err
}

// attributes is those of a link, a line each, without what it has counted.
func attributes(l netlink.Link) []string {
	l.Attrs().Statistics = nil
	text, _ := json.MarshalIndent(l, l.Attrs().Name, " ") // a structure of plain fields
	return strings.Split(string(text), "\n")
}

// ethtoolSays is what ethtool shows of an interface, each line with the name of the interface.
func ethtoolSays(ns *netns.NS, flag, ifname string) (lines []string, err error) {
	var text bytes.Buffer
	cmd := exec.Command("/bin/ethtool", flag, ifname)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := ns.Run(cmd); err != nil {
		return nil, fmt.Errorf("ethtool %s %s: %w: %s", flag, ifname, err, oneLine(text.String()))
	}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, ifname+" "+strings.TrimSpace(line))
	}
	return lines, nil
}

// differences are the lines that only one of two lists has: "-" of the first, "+" of the second.
func differences(before, after []string) (list []string) {
	for _, line := range before {
		if !slices.Contains(after, line) {
			list = append(list, "-"+oneLine(line))
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			list = append(list, "+"+oneLine(line))
		}
	}
	return list
}
