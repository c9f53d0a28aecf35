package main

import (
	"errors"
	"fmt"
	"io"
	"net"

	"uelink/config"
	"uelink/dataplane"
)

// checkHost compares a configuration with this host, without changing anything. It returns an error for settings that
// can never work, and notes for missing interfaces and missing permissions of the user.
func checkHost(c *config.Config) (notes []string, err error) {
	notes, err = checkSockets(c)
	return append(notes, absent(c)...), errors.Join(err, c.Settings.CheckLimits(dataplane.InterfaceMTU))
}

// absent returns a note for each missing interface that the daemon does not create itself.
func absent(c *config.Config) (notes []string) {
	all, err := net.Interfaces()
	if err != nil {
		return []string{fmt.Sprintf("the interfaces of this host cannot be listed: %v", err)}
	}
	there := map[string]bool{}
	for _, i := range all {
		there[i.Name] = true
	}
	want := func(port, ifname string) {
		if !there[ifname] {
			there[ifname] = true // one note for an interface
			notes = append(notes, fmt.Sprintf("port %s: there is no interface %s in this network namespace: the daemon would "+
				"wait for it", port, ifname))
		}
	}
	for _, p := range c.Settings.Ports {
		there[p.Interface] = there[p.Interface] || p.Host != nil
		want(p.Name, p.Interface)
	}
	for _, p := range c.LLDP.Ports {
		want(p.Name, p.Interface)
	}
	return notes
}

// check carries out uelinkd --check: it prints the notes and errors of a configuration on this host, and returns
// the exit code.
func check(file string, c *config.Config, stdout, stderr io.Writer) int {
	notes, err := checkHost(c)
	for _, note := range notes {
		fmt.Fprintf(stderr, "uelinkd: %s: note: %s\n", file, note)
	}
	for _, line := range lines(err) {
		fmt.Fprintf(stderr, "uelinkd: %s: %s\n", file, line)
	}
	if err != nil {
		return exitCode(err)
	}
	fmt.Fprintf(stdout, "uelinkd: %s: fine\n", file)
	return 0
}
