package main

import (
	"fmt"
	"net"
	"net/http"
	"os/user"
	"path"
	"slices"
	"strconv"

	"uelink/config"
	"uelink/control"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// mayChange returns an error unless the caller may add, change and remove the ports of an addition: root and the
// daemon's user all of them; the group of control.ports those on its interfaces, without files and new bridges.
func mayChange(a addition, rights config.ControlPorts, caller control.Caller) error {
	if caller.Owner() {
		return nil
	}
	if gid, ok := groupID(rights.Group); !ok || !slices.Contains(caller.Groups, gid) {
		return refused(http.StatusForbidden, "",
			"user %d may not change ports: root, the daemon's user and the group in "+
				"control.ports.group may", caller.UID)
	}
	for _, p := range a.Ports {
		for _, key := range []string{"interface", "host_interface"} {
			if name, ok := p[key]; ok && !matches(rights.Interfaces, fmt.Sprint(name)) {
				return refused(http.StatusForbidden, key,
					"user %d may not use interface %v: control.ports.interfaces has %v",
					caller.UID, name, rights.Interfaces)
			}
		}
		if _, ok := p["capture"]; ok {
			return refused(http.StatusForbidden, "capture", "only root and the daemon's user may name a file")
		}
	}
	for _, b := range a.Bridges {
		for key := range b {
			if key != "name" && key != "ports" {
				return refused(http.StatusForbidden, key,
					"only root and the daemon's user may create a bridge: give just the name of an existing "+
						"bridge, and the ports that join the bridge")
			}
		}
	}
	return nil
}

// matches reports whether a name has one of the patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// groupID returns the number of a group, given by name or number; ok is false for an unknown group.
func groupID(name string) (gid uint32, ok bool) {
	if g, err := user.LookupGroup(name); name != "" && err == nil {
		name = g.Gid
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil
}

// checkFree returns an error if the host itself uses an interface of a new port, unless the caller forces it and has
// the right to. Interfaces that are ports already, and those that are absent, are free.
func (c portChanger) checkFree(a addition, force bool, caller control.Caller) error {
	if force && caller.Owner() {
		return nil
	}
	for _, p := range a.Ports {
		name := fmt.Sprint(p["interface"])
		i, err := net.InterfaceByName(name)
		if err != nil || slices.ContainsFunc(c.d.config.Settings.Ports, func(s model.PortSettings) bool {
			return s.Interface == name
		}) {
			continue
		}
		use, err := netif.UseOf(i.Index)
		if err != nil {
			return err
		}
		if use.Any() {
			return refused(http.StatusConflict, "interface", "the host itself uses %s (%v): root may add it with "+
				"force", name, use)
		}
	}
	return nil
}
