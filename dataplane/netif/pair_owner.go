package netif

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/internal/dump"
)

// Owner names the daemon that a veth belongs to, for as long as the veth exists: by its configuration file and its
// state folder. It is the alias of the process's end, as ip link shows it. No other daemon removes the veth.
type Owner string

// longestAlias is the most octets of an interface's alias (IFALIASZ less the final 0).
const longestAlias = 255

// OwnerOf returns the owner of the veths of a daemon with a configuration file and a state folder. Two state folders
// with the same path, in two containers, make two owners: the inode tells the folders apart.
func OwnerOf(config, state string) Owner {
	if path, err := filepath.Abs(config); err == nil {
		config = path
	}
	var st unix.Stat_t
	_ = unix.Stat(state, &st) // no folder: zeros
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d:%d", config, filepath.Clean(state), st.Dev, st.Ino))
	alias := fmt.Sprintf("uelinkd %x %s", sum[:6], config)
	return Owner(alias[:min(len(alias), longestAlias)])
}

// claim makes the owner of a pair own the veth, given by the process's end.
func (p Pair) claim(end netlink.Link) error {
	if end.Attrs().Alias == string(p.Owner) {
		return nil
	}
	if err := netlink.LinkSetAlias(end, string(p.Owner)); err != nil {
		return fmt.Errorf("set the alias: %w", err)
	}
	return nil
}

// Left is a veth that some daemon has made in this network namespace.
type Left struct {
	Interface string `json:"interface"` // the daemon's end
	Owner     Owner  `json:"owner"`
	Served    bool   `json:"served"` // a daemon serves it now
}

// AllLeft lists the veths that daemons have made in the calling thread's network namespace, by name.
func AllLeft() (all []Left, err error) {
	links, err := dump.All(netlink.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	for _, l := range links {
		if IsPair(l) {
			a := l.Attrs()
			all = append(all, Left{a.Name, Owner(a.Alias), checkFree(a.Index) != nil})
		}
	}
	slices.SortFunc(all, func(a, b Left) int { return strings.Compare(a.Interface, b.Interface) })
	return all, nil
}

// Remove deletes the veth, unless a process has begun to serve it.
func (l Left) Remove() error {
	end, err := netlink.LinkByName(l.Interface)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		return nil
	case err == nil && !abandoned(end):
		err = errors.New("a uelinkd uses the veth now")
	case err == nil:
		err = netlink.LinkDel(end)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", l.Interface, advise(err))
	}
	return nil
}

// Remove deletes the veth pair, if a process of ours has made the pair and no process serves it.
func (p Pair) Remove(log *zap.Logger) {
	if end, err := netlink.LinkByName(p.Interface); err == nil && abandoned(end) {
		remove(end, log)
	}
}

// abandoned reports whether an interface is the process's end of a veth pair, made by a process of ours, that no
// process serves.
func abandoned(l netlink.Link) bool { return IsPair(l) && checkFree(l.Attrs().Index) == nil }

// SweepPairs deletes the unserved pairs of an owner in this network namespace, except for those whose process's end
// is named in wanted. The pairs of other owners stay.
func SweepPairs(owner Owner, wanted []string, log *zap.Logger) {
	links, err := dump.All(netlink.LinkList)
	if err != nil {
		log.Warn("the interfaces cannot be listed: a veth that the configuration no longer has stays", zap.Error(err))
		return
	}
	for _, l := range links {
		a := l.Attrs()
		if a.Alias == string(owner) && !slices.Contains(wanted, a.Name) && abandoned(l) {
			remove(l, log)
		}
	}
}

// remove deletes a veth pair, given by an end of it, and logs that.
func remove(end netlink.Link, log *zap.Logger) {
	name := zap.String("interface", end.Attrs().Name)
	if err := netlink.LinkDel(end); err != nil {
		log.Warn("a veth for the host is not removed: ip link delete dev "+end.Attrs().Name, name, zap.Error(err))
		return
	}
	log.Info("removed the veth for the host", name)
}
