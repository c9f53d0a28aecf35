package dataplane

import (
	"errors"
	"io/fs"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

// chooseChunk chooses the chunk size, by the settings or else by the MTU, and the number of chunks for a frame.
// need is the MTU that the port must have. An MTU that does not fit is an error.
func (h *host) chooseChunk(need int) error {
	mtu := max(need, h.mtu, h.heldMTU)
	if h.chunk = h.settings.ChunkSize; h.chunk == 0 {
		h.chunk = netif.ChunkFor(mtu)
	}
	if h.pieces = netif.PiecesFor(mtu, h.chunk); h.pieces > xsk.MostPieces {
		return configError("port %s: an MTU of %d on %s does not fit %d chunks of a chunk_size of %d, "+
			"which carry up to %d: lower the MTU",
			h.settings.Name, mtu, h.settings.Interface, xsk.MostPieces, h.chunk, h.most())
	}
	return nil
}

// most returns the largest MTU for chunks of the chosen size: a frame takes up to xsk.MostPieces chunks.
func (h *host) most() int { return netif.FitsPieces(h.chunk, xsk.MostPieces) }

// multiBuffer is a variable so that a test can have a driver without frames in several chunks.
var multiBuffer = netif.MultiBuffer

// checkPieces returns an error if frames need several chunks and the interface supports frames of one chunk only.
func (h *host) checkPieces() error {
	if h.pieces <= 1 || h.oneChunk == nil {
		return nil
	}
	return configError("port %s: frames of an MTU of %d on %s take up to %d chunks of %d octets: %w: "+
		"lower the MTU to %d, which one chunk carries, or set xdp: generic", h.settings.Name, h.mtu,
		h.settings.Interface, h.pieces, h.chunk, h.oneChunk, netif.Fits(h.chunk))
}

// outgrown reports whether frames of that MTU need larger chunks, or more chunks, than the sockets have now, and
// reopened sockets could have them.
func (h *host) outgrown(mtu int) bool {
	chunk := h.settings.ChunkSize
	if chunk == 0 {
		chunk = netif.ChunkFor(mtu)
	}
	pieces := netif.PiecesFor(mtu, chunk)
	return mtu > netif.FitsPieces(h.chunk, h.pieces) && pieces <= xsk.MostPieces && (pieces <= 1 || h.oneChunk == nil)
}

// fitMTU raises the MTU of a link port to need, the octets of a frame with the shim. If the daemon may not change the
// MTU, by the settings or because the host uses the interface, the MTU stays. With mtu: check, an MTU below need is an
// error.
func (h *host) fitMTU(need int) error {
	if need > netif.FitsPieces(h.chunk, h.pieces) && !h.outgrown(need) {
		return h.tooLarge(need)
	}
	if h.mtu >= need || h.leavesMTU() {
		return nil
	}
	if h.settings.MTU == model.MTUCheck {
		return h.tooSmall(need)
	}
	err := setMTU(h.owned, need)
	if errors.Is(err, fs.ErrPermission) {
		return h.denied(err)
	}
	if err != nil {
		return configError("port %s: %w (%d of the edge port and %d of the shim): lower the MTU of the edge port",
			h.settings.Name, err, need-h.settings.Overhead(), h.settings.Overhead())
	}
	h.mtu = need
	return nil
}

// tooSmall returns the error that the MTU is less than need and the settings forbid to raise it.
func (h *host) tooSmall(need int) error {
	return configError("port %s: the MTU of %s is %d, and %d are needed: %d of the edge port and %d of the shim; "+
		"raise it, or set mtu: auto",
		h.settings.Name, h.settings.Interface, h.mtu, need, need-h.settings.Overhead(), h.settings.Overhead())
}

// tooLarge returns the error that an edge port needs an MTU that the interface cannot have.
func (h *host) tooLarge(need int) error {
	if netif.PiecesFor(need, h.chunk) <= xsk.MostPieces && h.oneChunk != nil {
		return configError("port %s: the edge port needs an MTU of %d octets on %s, and one chunk of %d carries %d: "+
			"%w: lower the MTU of the edge port, or set xdp: generic",
			h.settings.Name, need, h.settings.Interface, h.chunk, netif.Fits(h.chunk), h.oneChunk)
	}
	return configError("port %s: the %d octets of MTU that the edge port needs on %s do not fit %d chunks of a "+
		"chunk_size of %d, which carry up to %d: lower the MTU of the edge port",
		h.settings.Name, need, h.settings.Interface, xsk.MostPieces, h.chunk, h.most())
}

// setMTU is a variable so that a test can have a driver that refuses an MTU.
var setMTU = (*netif.Interface).SetMTU

// enlarge reopens the sockets, with memory laid out as in g, with chunks large enough for the frames of a larger
// MTU.
func (h *host) enlarge(mtu int, g frame.Geometry) error {
	h.mtu = mtu
	if err := h.chooseChunk(mtu); err != nil {
		return err
	}
	return h.reopen(g)
}
