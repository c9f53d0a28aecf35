package netif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// altnamePrefix begins the altname of the process's end of every pair, by which other programs recognize that end
// whatever its name is.
const altnamePrefix = "uelink-"

// describe gives the process's end an altname, and the kernel's end, if it has no alias, an alias that names the
// process's end. A kernel before 5.5 has no altnames.
func (p Pair) describe(end netlink.Link) error {
	var problem error
	if name := altnamePrefix + p.Interface; !slices.Contains(end.Attrs().AltNames, name) {
		err := netlink.LinkAddAltName(end, name)
		if err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
			problem = fmt.Errorf("give %s the altname %s: %w", p.Interface, name, err)
		}
	}
	host, err := p.host(end)
	if err != nil || host == nil || host.Attrs().Alias != "" {
		return errors.Join(problem, err)
	}
	if err := netlink.LinkSetAlias(host, "uelinkd: the host's end of "+p.Interface); err != nil {
		problem = errors.Join(problem, fmt.Errorf("give %s an alias: %w", host.Attrs().Name, err))
	}
	return problem
}
