package main

import (
	"errors"
	"fmt"
	"io"

	"uelink/config"
	"uelink/dataplane"
)

// checkHost compares a configuration with this host, without changing anything. It returns an error for settings that
// can never work, and notes for missing interfaces and missing permissions of the user.
func checkHost(c *config.Config) (notes []string, err error) {
	notes, err = checkSockets(c)
	for _, taken := range c.TakenAddresses() {
		notes = append(notes, fmt.Sprintf("%v; for another address, type: %s", taken, taken.Command()))
	}
	return append(notes, absent(c)...), errors.Join(err, twice(c), c.Settings.CheckLimits(dataplane.InterfaceMTU))
}

// absent returns a note for each missing interface that the daemon does not create itself. The daemon looks interfaces
// up in the same way, by name or altname.
func absent(c *config.Config) (notes []string) {
	noted := map[string]bool{}
	want := func(port, ifname string) {
		if noted[ifname] || dataplane.InterfaceIndex(ifname) != 0 {
			return
		}
		noted[ifname] = true // one note for an interface
		notes = append(notes,
			fmt.Sprintf("port %s: there is no interface %s in this network namespace: the daemon would "+
				"wait for it", port, ifname))
	}
	for _, p := range c.Settings.Ports {
		noted[p.Interface] = noted[p.Interface] || p.Host != nil
		want(p.Name, p.Interface)
	}
	for _, p := range c.LLDP.Ports {
		want(p.Name, p.Interface)
	}
	return notes
}

// twice returns an error if two ports have the same interface by different names, by its name and an altname.
func twice(c *config.Config) error {
	ports := map[int]string{} // by the index of the interface
	for _, p := range c.Settings.Ports {
		index := dataplane.InterfaceIndex(p.Interface)
		if other := ports[index]; index != 0 && other != "" {
			return &sameInterfaceError{other, p.Name, p.Interface}
		}
		ports[index] = p.Name
	}
	return nil
}

// sameInterfaceError is the error of two ports with the same interface.
type sameInterfaceError struct{ first, second, ifname string }

// Error names both ports.
func (e *sameInterfaceError) Error() string {
	return fmt.Sprintf("port %s: %s is another name of the interface of port %s (ip link): take one of the two out",
		e.second, e.ifname, e.first)
}

// ExitCode returns 2, as for other mistakes in a configuration.
func (*sameInterfaceError) ExitCode() int { return exitUsage }

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
