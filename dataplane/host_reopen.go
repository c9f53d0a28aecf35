package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// reopen reopens the sockets with the chosen chunks, one socket for each present RX queue. The program and all other
// changes stay on the interface. The worker must have released the old devices; the host has new devices afterwards.
// After an error the host can only be closed.
func (h *host) reopen(g frame.Geometry) error {
	h.keepStats()
	err := h.owned.ReopenSockets(*h.socketsOf(g))
	h.closeDevices()
	if err != nil {
		return h.denied(err)
	}
	h.sockets = h.owned.Sockets()
	h.noteChoice()
	h.tap()
	return nil
}

// fitMTUAnew detaches the XDP program, sets the MTU by fitMTU, and attaches the program again with new sockets; g
// is as in openHost. mtuErr is the error of setting the MTU: the previous MTU stays, and the port works. After err
// the host can only be closed.
func (h *host) fitMTUAnew(need int, g frame.Geometry) (mtuErr, err error) {
	h.keepStats()
	if err := h.owned.Detach(); err != nil {
		return nil, h.denied(err)
	}
	h.closeDevices()
	mtuErr = h.fitMTU(need)
	if h.mtu > netif.FitsPieces(h.chunk, h.pieces) { // never smaller chunks: LLR may hold frames as long as before
		if err := h.chooseChunk(0); err != nil {
			return mtuErr, err
		}
	}
	if err := h.take(g); err != nil {
		return mtuErr, err
	}
	h.tap()
	return mtuErr, nil
}

// resize chooses the chunk size by the settings and the MTU, and reopens the sockets with the layout g. need is the MTU
// that a link port must have, 0 on an edge port.
func (h *host) resize(need int, g frame.Geometry) error {
	if err := h.chooseChunk(need); err != nil {
		return err
	}
	return h.reopen(g)
}

// reattach detaches the interface of a port and attaches it again, with the settings s; need and g are as needMTU and g
// of openHost. The other changes on the interface stay, and the host of an edge that pushes back keeps its frames
// meanwhile. After an error the host can only be closed.
func (h *host) reattach(s model.PortSettings, need int, g frame.Geometry) error {
	h.keepStats()
	if err := h.owned.Detach(); err != nil {
		return h.denied(err)
	}
	h.closeDevices()
	h.settings = s
	steps := []func() error{
		h.checkUse,
		func() error { return h.chooseChunk(need) },
		func() error { return h.fitMTU(need) },
		func() error { return h.take(g) },
		h.checkPieces,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	h.tap()
	return nil
}
