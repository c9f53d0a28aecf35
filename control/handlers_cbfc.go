package control

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/dataplane/path"
)

// creditHandlers answers requests about credits, virtual channels and QoS.
type creditHandlers struct{ s *Server }

// getCBFC answers with all links that have CBFC.
func (h creditHandlers) getCBFC(w http.ResponseWriter, _ *http.Request) error {
	views := []api.CBFCInterface{}
	for _, p := range h.s.ports() {
		if p.CBFC != nil {
			views = append(views, api.NewCBFCInterface(p))
		}
	}
	return reply(w, http.StatusOK, views)
}

// getCBFCOf answers with the CBFC of the link in the path.
func (h creditHandlers) getCBFCOf(w http.ResponseWriter, r *http.Request) error {
	p, err := h.s.link(r)
	if err == nil && p.CBFC == nil {
		err = fmt.Errorf("port %s: %w: set its cbfc.mode to static or dynamic", p.Name, path.ErrNoCBFC)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, api.NewCBFCInterface(p))
}

// postVC handles a request to make a virtual channel lossless or best effort for the frames that this end sends.
func (h creditHandlers) postVC(w http.ResponseWriter, r *http.Request) error {
	var body api.Enable
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.Enabled == nil {
		return badRequest("enabled", "body: enabled is missing")
	}
	vc, err := strconv.ParseUint(r.PathValue("vc"), 10, 16)
	if err != nil {
		return badRequest("vc", "vc %q: a number from 0 to 31 is wanted", r.PathValue("vc"))
	}
	p, err := h.s.link(r)
	if err != nil {
		return err
	}
	if err := h.s.backend.SetVC(p.Name, int(vc), *body.Enabled); err != nil {
		return err
	}
	h.s.log.Info("virtual channel made lossless or best effort over the control socket",
		zap.String("port", p.Name), zap.Uint64("vc", vc), zap.Bool("lossless", *body.Enabled))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// getQoS answers with the QoS maps of the port in the request's path, or of all ports if the path has none.
func (h creditHandlers) getQoS(w http.ResponseWriter, r *http.Request) error {
	name, views := r.PathValue("port"), []api.QoS{}
	if name != "" {
		var err error
		if name, err = h.s.framesNamed(name); err != nil {
			return err
		}
	}
	for _, p := range h.s.backend.Ports() {
		if name == "" || p.Name == name {
			views = append(views, api.NewQoS(p))
		}
	}
	slices.SortFunc(views, func(a, b api.QoS) int { return strings.Compare(a.Port, b.Port) })
	return reply(w, http.StatusOK, views)
}
