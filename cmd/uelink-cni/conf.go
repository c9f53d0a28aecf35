package main

import (
	"encoding/json"
	"fmt"
	"net"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
)

// defaultSocket is the socket of the daemon's API.
const defaultSocket = "/run/uelink/uelink.sock"

// leastMTU is the least MTU that IPv4 requires (RFC 791).
const leastMTU = 68

// conf is the configuration of a network: the keys of every plugin, and the keys of uelink-cni.
type conf struct {
	types.PluginConf
	Socket string         `json:"socket"` // of the daemon's API
	Bridge string         `json:"bridge"` // that containers join
	Link   string         `json:"link"`   // without bridge: the link of the only container; with bridge: the link asked for by STATUS
	MTU    int            `json:"mtu"`    // of the veth; 0: the largest that the links carry
	Port   map[string]any `json:"port"`   // further keys of the port, as in the daemon's configuration
	Member map[string]any `json:"member"` // further keys of the port in the bridge, such as pvid

	RuntimeConfig struct {
		MAC string `json:"mac"`
	} `json:"runtimeConfig"`
}

// readConf reads and checks the configuration of a network.
func readConf(args *skel.CmdArgs) (*conf, error) {
	c := conf{Socket: defaultSocket}
	if err := json.Unmarshal(args.StdinData, &c); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure,
			"the network configuration is not JSON of the expected form", err.Error())
	}
	if err := version.ParsePrevResult(&c.PluginConf); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, "prevResult", err.Error())
	}
	return &c, c.check()
}

// check returns an error of CNI if a key of the configuration is wrong or missing, or is one that the plugin itself
// sets.
func (c *conf) check() error {
	wrong := func(format string, args ...any) error {
		return types.NewError(types.ErrInvalidNetworkConfig, fmt.Sprintf(format, args...), "network "+c.Name)
	}
	switch {
	case c.Bridge == "" && c.Link == "":
		return wrong("bridge or link is missing: name a bridge of uelinkd, or a link that is in no xconnect")
	case c.MTU != 0 && c.MTU < leastMTU, c.MTU > 65535:
		return wrong("mtu %d: %d to 65535 are wanted, or 0", c.MTU, leastMTU)
	case c.Bridge == "" && len(c.Member) > 0:
		return wrong("the key member needs the key bridge")
	}
	for _, key := range []string{"name", "interface", "role", "labels"} {
		if _, ok := c.Port[key]; ok {
			return wrong("remove port.%s: the plugin sets this key", key)
		}
	}
	if _, ok := c.Member["port"]; ok {
		return wrong("remove member.port: the plugin sets this key")
	}
	if mac := c.RuntimeConfig.MAC; mac != "" {
		if parsed, err := net.ParseMAC(mac); err != nil || len(parsed) != 6 || parsed[0]&1 != 0 {
			return wrong("mac %q is no address of a host", mac)
		}
	}
	return nil
}

// previous returns the result of ADD that the runtime hands to CHECK.
func (c *conf) previous() (*current.Result, error) {
	if c.PrevResult == nil {
		return nil, types.NewError(types.ErrInvalidNetworkConfig, "prevResult is missing", "network "+c.Name)
	}
	return current.GetResult(c.PrevResult)
}
