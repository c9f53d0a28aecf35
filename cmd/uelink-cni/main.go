// Command uelink-cni joins containers to a bridge or a link of a running uelinkd: a plugin for CNI 1.1
// (https://www.cni.dev/docs/spec).
//
//	{"cniVersion": "1.1.0", "name": "storage", "type": "uelink-cni", "bridge": "br0", "ipam": {"type": "host-local", …}}
//
// The plugin makes a veth, moves one end into the container and sets it up. The other end becomes an edge of the daemon
// by the API; the daemon enters no namespace. uelink-cni install DIR copies the program to the plugins of a node.
package main

import (
	"fmt"
	"os"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/version"
)

// owner is the label of ports made by this plugin.
const owner = "uelink-cni"

// versions has the versions of CNI that the plugin speaks. GC and STATUS are of 1.1.
var versions = version.PluginSupports("0.4.0", "1.0.0", "1.1.0")

// main runs a command of a person, such as install, or the CNI command that the environment names.
func main() {
	if len(os.Args) > 1 {
		if err := command(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "uelink-cni:", err)
			os.Exit(1)
		}
		return
	}
	skel.PluginMainFuncs(skel.CNIFuncs{Add: add, Del: del, Check: check, GC: collect, Status: status}, versions,
		"CNI plugin uelink-cni: joins containers to a bridge or a link of uelinkd. uelink-cni install DIR copies it.")
}

// command runs a command of the command line: install DIR.
func command(args []string) error {
	if len(args) != 2 || args[0] != "install" {
		return fmt.Errorf("%q: install DIR is wanted; CNI calls come by the environment", args)
	}
	return install(args[1])
}
