package dataplane

import (
	"fmt"

	"uelink/dataplane/path"
	"uelink/wire"
)

// SetVC makes the sending direction of a link port's virtual channel lossless or best effort, until the next reload; in
// mode dynamic, within the agreement of LLDP.
func (d *Dataplane) SetVC(port string, vc int, lossless bool) error {
	var refused error
	if err := d.onLink(port, func(l *path.Link, now wire.Time) { refused = l.SetVC(vc, lossless, now) }); err != nil {
		return err
	}
	if refused != nil {
		return fmt.Errorf("%s: %w", port, refused)
	}
	return nil
}
