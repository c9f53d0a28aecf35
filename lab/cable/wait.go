package cable

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
)

// await waits until all interfaces of a valid configuration exist and are up, or ctx ends, and prints the missing
// interfaces once.
func (p *printer) await(ctx context.Context, c Config) error {
	every := time.NewTicker(watchEvery)
	defer every.Stop()
	for reported := false; ; reported = true {
		missing := c.missing()
		if missing == nil {
			return nil
		}
		if !reported {
			p.waiting(missing)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("still waiting for %s: %w", strings.Join(missing, ", "), context.Cause(ctx))
		case <-every.C:
		}
	}
}

// waitingEvent reports that interfaces do not exist or are down.
type waitingEvent struct {
	Event      string   `json:"event"` // "waiting"
	Interfaces []string `json:"interfaces"`
}

// waiting prints the names of the missing interfaces to stderr, as a line or as JSON.
func (p *printer) waiting(missing []string) {
	if p.json {
		json.NewEncoder(p.err).Encode(waitingEvent{"waiting", missing})
		return
	}
	fmt.Fprintln(p.err, "waiting for", strings.Join(missing, ", "))
}

// missing returns the interfaces of a cable that do not exist or are down.
func (c Config) missing() (names []string) {
	for _, at := range c.places() {
		var p place
		var err error
		if at.path != "" {
			p, err = openPlace(at.path)
		}
		up := false
		if err == nil {
			err = p.within(func() error {
				link, err := netlink.LinkByName(at.ifname)
				up = err == nil && link.Attrs().Flags&net.FlagUp != 0
				return err
			})
		}
		if err != nil || !up {
			names = append(names, at.name)
		}
	}
	return names
}
