package guest

import (
	"errors"
	"time"
)

// away is how long a link is down: many times the time after which LLR replays.
const away = 1500 * time.Millisecond

// linkFaults take the link down for a moment.
var linkFaults = []fault{
	{name: "link down, up", do: func(t *trial) error {
		return t.during(func() error { return t.a.ns.SetLink("link0", false) }, func() error { return t.a.ns.SetLink("link0", true) })
	}},
	{name: "cable out, in", do: func(t *trial) error {
		return t.during(func() error { return t.session.ask(AskCableOut, t.nic().name) },
			func() error { return t.session.ask(AskCableIn, t.nic().name) })
	}},
}

// during interrupts the link: it calls begin, waits for the time away, calls end, and waits until frames flow again.
func (t *trial) during(begin, end func() error) error {
	err := begin()
	time.Sleep(away)
	if err := errors.Join(err, end()); err != nil {
		return err
	}
	return t.flows()
}
