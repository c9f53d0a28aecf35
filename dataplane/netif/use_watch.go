package netif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// WatchUses subscribes to changes of addresses and default routes in the calling thread's network namespace. The
// channel receives after each change, and after an overrun, in which the kernel has dropped messages. The channel
// is closed when ctx ends, or when the subscription fails. Changes of interfaces, which a Use also depends on, come
// by netlink.LinkSubscribe.
func WatchUses(ctx context.Context) (<-chan struct{}, error) {
	s, err := nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR,
		unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV6_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("subscribe to addresses and routes: %w", err)
	}
	context.AfterFunc(ctx, s.Close)
	changed := make(chan struct{}, 1)
	go func() {
		defer close(changed)
		for {
			messages, _, err := s.Receive()
			overrun := errors.Is(err, unix.ENOBUFS)
			if err != nil && !overrun {
				return
			}
			if overrun || slices.ContainsFunc(messages, changesUse) {
				select {
				case changed <- struct{}{}:
				default: // a signal is pending already
				}
			}
		}
	}()
	return changed, nil
}

// changesUse reports whether a netlink message is about an address or a default route.
func changesUse(m syscall.NetlinkMessage) bool {
	switch m.Header.Type {
	case unix.RTM_NEWADDR, unix.RTM_DELADDR:
		return true
	case unix.RTM_NEWROUTE, unix.RTM_DELROUTE:
		const prefixLength = 1 // offset of rtm_dst_len in struct rtmsg
		return len(m.Data) > prefixLength && m.Data[prefixLength] == 0
	}
	return false
}
