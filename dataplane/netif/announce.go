package netif

import "uelink/internal/announce"

// Announce announces, from the host's end of the veth, each of its addresses to the other hosts. n is the number of
// addresses.
func (i *Interface) Announce() (n int, err error) {
	err = atPeer(i.index, func(ifname string) (err error) {
		n, err = announce.Addresses(ifname)
		return err
	})
	return n, err
}
