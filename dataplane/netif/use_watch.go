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

// WatchUses has the kernel tell when an address or a default route of the calling thread's network namespace comes or
// goes. Something is in the channel after such a change, and after changes that the kernel could not tell, for there
// were too many. The channel is closed when ctx ends, or when the kernel tells nothing any more. What else a Use
// depends on, interfaces, netlink.LinkSubscribe tells.
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
				default: // one is there already
				}
			}
		}
	}()
	return changed, nil
}

// changesUse tells whether a message of the kernel is about an address or a default route.
func changesUse(m syscall.NetlinkMessage) bool {
	switch m.Header.Type {
	case unix.RTM_NEWADDR, unix.RTM_DELADDR:
		return true
	case unix.RTM_NEWROUTE, unix.RTM_DELROUTE:
		const prefixLength = 1 // where rtm_dst_len of struct rtmsg is
		return len(m.Data) > prefixLength && m.Data[prefixLength] == 0
	}
	return false
}
