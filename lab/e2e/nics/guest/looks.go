package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
)

// visible returns all visible settings of some interfaces of a namespace, line by line: attributes of the links as in
// `ip -d link`, addresses, routes, and the features, channels, rings and coalescing of ethtool.
func visible(ns *netns.NS, ifnames ...string) (lines []string, err error) {
	for _, name := range ifnames {
		settings, err := settings(ns, name)
		if err != nil {
			return nil, err
		}
		lines = append(lines, settings...)
		for _, flag := range []string{"-k", "-l", "-g", "-c"} {
			says, err := ethtoolShows(ns, flag, name)
			if err != nil {
				return nil, err
			}
			lines = append(lines, says...)
		}
	}
	return lines, nil
}

// settings returns the visible settings of one interface as lines, without those that ethtool shows.
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

// attributes returns the attributes of a link, a line each, without counters and without the id of an XDP program.
func attributes(l netlink.Link) []string {
	a := l.Attrs()
	program := fmt.Sprint(a.Name, " has a program: ", a.Xdp != nil && a.Xdp.Attached)
	a.Statistics, a.Xdp = nil, nil
	text, _ := json.MarshalIndent(l, a.Name, " ") // no error: a structure of plain fields
	return append(strings.Split(string(text), "\n"), program)
}

// ethtoolShows returns the output of ethtool for an interface, each line with the name of the interface. A driver
// without the feature is no error: ethtool says so.
func ethtoolShows(ns *netns.NS, flag, ifname string) (lines []string, err error) {
	var text bytes.Buffer
	cmd := exec.Command("/bin/ethtool", flag, ifname)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := ns.Run(cmd); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, fmt.Errorf("ethtool %s %s: %w", flag, ifname, err)
	}
	for line := range strings.Lines(text.String()) {
		lines = append(lines, fmt.Sprintf("%s ethtool %s: %s", ifname, flag, strings.TrimSpace(line)))
	}
	return lines, nil
}

// Differences returns the lines that are in only one of two lists: with "-" the lines of before, with "+" the lines of
// after.
func Differences(before, after []string) (list []string) {
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
