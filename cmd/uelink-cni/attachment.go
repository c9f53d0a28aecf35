package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/containernetworking/cni/pkg/types"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// attachment is a container's interface in a network.
type attachment struct {
	network, container, ifname string
}

// longestAltname is the largest number of octets of an altname (ALTIFNAMSIZ less the final 0).
const longestAltname = 127

// isOneOf reports whether the attachment is in a list of its network.
func (a attachment) isOneOf(list []types.GCAttachment) bool {
	return slices.Contains(list, types.GCAttachment{ContainerID: a.container, IfName: a.ifname})
}

// hostEnd returns the name of the end of the veth that the daemon gets, which is also the name of the port: as long as
// an interface's name may be, however long network and container are named.
func (a attachment) hostEnd() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", a.network, a.container, a.ifname))
	return fmt.Sprintf("ue-%x", sum[:6])
}

// alias returns the alias of the host's end: whose it is, for people and for GC. CNI's names have no blanks.
func (a attachment) alias() string { return aliasOf(a.network) + a.container + " " + a.ifname }

// aliasOf returns the beginning of the aliases of a network.
func aliasOf(network string) string { return owner + " " + network + " " }

// groupOf returns the group that the veths of a network have until their alias is set: the kernel takes a group with
// the request that makes an interface, and an alias only afterwards.
func groupOf(network string) uint32 {
	sum := sha256.Sum256([]byte(aliasOf(network)))
	return binary.BigEndian.Uint32(sum[:4])>>1 | 1 // not 0, which is the group of all other interfaces
}

// parseAlias returns the attachment that the alias of a veth names; ok is false unless the attachment is in the
// network.
func parseAlias(network, alias string) (a attachment, ok bool) {
	rest, ok := strings.CutPrefix(alias, aliasOf(network))
	container, ifname, both := strings.Cut(rest, " ")
	return attachment{network, container, ifname}, ok && both
}

// altname returns a name by which people find the host's end.
func (a attachment) altname() string {
	name := fmt.Sprintf("uelink-%s-%s-%s", a.network, a.container, a.ifname)
	if len(name) > longestAltname {
		name = name[:longestAltname-len(a.hostEnd())] + a.hostEnd()
	}
	return name
}

// labels returns the labels of the port.
func (a attachment) labels() model.Labels {
	return model.Labels{Owner: owner, Container: a.container, IfName: a.ifname, Network: a.network}
}

// addition returns the request that adds the attachment's port to the bridge of the network, or else joins it to the
// network's link. c has further keys for both. The same request again changes nothing.
func (a attachment) addition(c *conf) api.PortAddition {
	port := map[string]any{"name": a.hostEnd(), "interface": a.hostEnd(), "role": "edge", "labels": a.labels()}
	for key, value := range c.Port {
		port[key] = value
	}
	out := api.PortAddition{Name: a.hostEnd(), Ports: []map[string]any{port}}
	if c.Bridge == "" {
		out.XConnects = []map[string]any{{"edge": a.hostEnd(), "link": c.Link}}
		return out
	}
	member := map[string]any{"port": a.hostEnd()}
	for key, value := range c.Member {
		member[key] = value
	}
	out.Bridges = []map[string]any{{"name": c.Bridge, "ports": []map[string]any{member}}}
	return out
}
