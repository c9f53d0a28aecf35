package control

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/hippi"
)

// hippiHandlers answers requests about links that speak HIPPI-6400-PH.
type hippiHandlers struct{ s *Server }

// hippiNamed returns the state of the link port with the given name or interface that speaks HIPPI-6400-PH. For any
// other port the error lists the links that speak HIPPI-6400-PH.
func (h hippiHandlers) hippiNamed(name string) (api.Port, error) {
	p, err := h.s.portNamed(name)
	if err != nil || p.HIPPI != nil {
		return p, err
	}
	cause := dataplane.ErrNotLink
	if p.Role == model.RoleLink.String() {
		cause = dataplane.ErrNotHIPPI
	}
	links := slices.DeleteFunc(h.s.ports(), func(p api.Port) bool { return p.HIPPI == nil })
	return p, fmt.Errorf("port %s: %w: %s", p.Name, cause, choice(namesOf(links), "links with protocol: hippi6400"))
}

// getHIPPI answers with all links that speak HIPPI-6400-PH.
func (h hippiHandlers) getHIPPI(w http.ResponseWriter, _ *http.Request) error {
	views := []api.HIPPIInterface{}
	for _, p := range h.s.ports() {
		if p.HIPPI != nil {
			views = append(views, api.NewHIPPIInterface(p))
		}
	}
	return reply(w, http.StatusOK, views)
}

func (h hippiHandlers) getHIPPIOf(w http.ResponseWriter, r *http.Request) error {
	p, err := h.hippiNamed(r.PathValue("port"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, api.NewHIPPIInterface(p))
}

// postHIPPI handles the request to run a command (reset, initialize or clear) on a link that speaks HIPPI-6400-PH.
func (h hippiHandlers) postHIPPI(w http.ResponseWriter, r *http.Request) error {
	var body api.HIPPICommand
	if err := decode(w, r, &body); err != nil {
		return err
	}
	commands := map[string]hippi.Command{
		api.HIPPIReset: hippi.CommandReset, api.HIPPIInitialize: hippi.CommandInitialize, api.HIPPIClear: hippi.CommandClearEvents,
	}
	c, ok := commands[body.Command]
	if !ok {
		return badRequest("command", "command %q: one of reset, initialize, clear is wanted", body.Command)
	}
	p, err := h.hippiNamed(r.PathValue("port"))
	if err != nil {
		return err
	}
	if err := h.s.backend.HIPPICommand(p.Name, c); err != nil {
		return err
	}
	h.s.log.Info("HIPPI-6400-PH command run over the control socket", zap.String("port", p.Name),
		zap.String("hippi", body.Command))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// postHIPPIAdmin handles the request to send an Admin micropacket on a link that speaks HIPPI-6400-PH: on VC 1 or 2,
// with octets in hexadecimal.
func (h hippiHandlers) postHIPPIAdmin(w http.ResponseWriter, r *http.Request) error {
	var body api.HIPPIAdmin
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.VC != 1 && body.VC != 2 {
		return badRequest("vc", "virtual channel %d: a command goes on 1, a response on 2", body.VC)
	}
	var data model.AdminData
	octets, err := hex.DecodeString(body.Data)
	if err != nil || len(octets) == 0 || len(octets) > len(data) {
		return badRequest("data", "data %.80q: 1 to %d octets in hexadecimal are wanted", body.Data, len(data))
	}
	copy(data[:], octets)
	p, err := h.hippiNamed(r.PathValue("port"))
	if err != nil {
		return err
	}
	if err := h.s.backend.HIPPIAdmin(p.Name, uint8(body.VC), data); err != nil {
		return err
	}
	h.s.log.Info("Admin micropacket sent over the control socket", zap.String("port", p.Name),
		zap.Int("hippi_admin_vc", body.VC),
		zap.String("data", hex.EncodeToString(data[:])))
	w.WriteHeader(http.StatusNoContent)
	return nil
}
