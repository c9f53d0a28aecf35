package dataplane

import (
	"errors"
	"io/fs"

	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// chooseChunk makes the chunks as large as the MTU needs, or the settings say.
func (h *host) chooseChunk(need int) error {
	mtu := max(need, h.mtu)
	if h.chunk = h.settings.ChunkSize; h.chunk == 0 {
		h.chunk = netif.ChunkFor(mtu)
	}
	if mtu > netif.Fits(h.chunk) {
		return configError("port %s: an MTU of %d on %s does not fit a chunk_size of %d, "+
			"which carries up to %d: lower the MTU",
			h.settings.Name, mtu, h.settings.Interface, h.chunk, netif.Fits(h.chunk))
	}
	return nil
}

// outgrown tells whether an MTU needs larger chunks, and there are such that hold it.
func (h *host) outgrown(mtu int) bool {
	return h.settings.ChunkSize == 0 && mtu > netif.Fits(h.chunk) && mtu <= netif.Fits(netif.LargeChunk)
}

// fitMTU makes sure that a link port carries frames with their shim.
func (h *host) fitMTU(need int) error {
	if need > netif.Fits(h.chunk) && !h.outgrown(need) {
		return configError("port %s: the %d octets of MTU that the edge port needs on %s do not fit a chunk_size "+
			"of %d, which carries up to %d: lower the MTU of the edge port",
			h.settings.Name, need, h.settings.Interface, h.chunk, netif.Fits(h.chunk))
	}
	if h.mtu >= need || h.leavesMTU() {
		return nil
	}
	if h.settings.MTU == MTUCheck {
		return configError("port %s: the MTU of %s is %d, and %d are needed: %d of the edge port and %d of the shim; "+
			"raise it, or set mtu: auto",
			h.settings.Name, h.settings.Interface, h.mtu, need, need-wire.Overhead, wire.Overhead)
	}
	err := setMTU(h.owned, need)
	if errors.Is(err, fs.ErrPermission) {
		return h.denied(err)
	}
	if err != nil {
		return configError("port %s: %w (%d of the edge port and %d of the shim): lower the MTU of the edge port",
			h.settings.Name, err, need-wire.Overhead, wire.Overhead)
	}
	h.mtu = need
	return nil
}

// setMTU is what a test puts a driver in the place of that refuses it.
var setMTU = (*netif.Interface).SetMTU

// enlarge is reopen with chunks that hold the frames of an MTU that has outgrown those of before.
func (h *host) enlarge(mtu int, g frame.Geometry) error {
	h.mtu = mtu
	if err := h.chooseChunk(mtu); err != nil {
		return err
	}
	return h.reopen(g)
}
