package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/nonnull"
	"uelink/sai"
)

// errNoSAI is the answer of a server without a store.
var errNoSAI = &api.Error{Status: http.StatusNotFound, Message: "this daemon has no objects of SAI", Field: "path"}

// saiHandlers answers requests about the objects of SAI.
type saiHandlers struct{ s *Server }

// withSAI returns a handler that calls next if the server has a store of SAI objects, and otherwise returns errNoSAI.
func (h saiHandlers) withSAI(next handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if h.s.sai == nil {
			return errNoSAI
		}
		return next(w, r)
	}
}

// answerSAI sends the response a to a SAI request. If err is a refusal (*sai.Error), the response has its status and
// reason instead; any other err is returned.
func answerSAI(w http.ResponseWriter, a api.SAIAnswer, err error) error {
	var refused *sai.Error
	switch {
	case errors.As(err, &refused):
		a = api.SAIAnswer{Status: refused.Status, Reason: refused.Reason}
	case err != nil:
		return err
	}
	return reply(w, http.StatusOK, a)
}

// postSAICreate makes an object, or a route where the body has an entry.
func (h saiHandlers) postSAICreate(w http.ResponseWriter, r *http.Request) error {
	var body api.SAICreate
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.Entry != nil {
		return answerSAI(w, api.SAIAnswer{}, h.s.sai.CreateRoute(*body.Entry, body.Attributes))
	}
	oid, err := h.s.sai.Create(sai.ObjectType(body.Type), body.Attributes, body.ExactTimers)
	return answerSAI(w, api.SAIAnswer{OID: oid}, err)
}

// saiObject returns the id of the object of a call: oid, or that of the route that entry names, unless it is nil.
func (h saiHandlers) saiObject(oid sai.OID, entry *sai.Entry) (sai.OID, error) {
	if entry == nil {
		return oid, nil
	}
	return h.s.sai.Route(*entry)
}

// longestClient is the largest number of octets of a client's name.
const longestClient = 64

// checkClient returns an error if a client's name is longer than the names that libsai makes at random.
func checkClient(name string) error {
	if len(name) > longestClient {
		return badRequest("client", "client: the name has %d octets: at most %d are allowed", len(name), longestClient)
	}
	return nil
}

// postSAIRemove removes an object. For the switch, the client that the body names detaches.
func (h saiHandlers) postSAIRemove(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIObject
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if err := checkClient(body.Client); err != nil {
		return err
	}
	oid, err := h.saiObject(body.OID, body.Entry)
	if err == nil {
		err = h.s.sai.Remove(oid)
	}
	if err == nil && oid == sai.SwitchOID {
		h.s.sai.Detach(body.Client)
	}
	return answerSAI(w, api.SAIAnswer{}, err)
}

// postSAISet sets an attribute of an object for the client that the body names.
func (h saiHandlers) postSAISet(w http.ResponseWriter, r *http.Request) error {
	var body api.SAISet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if err := checkClient(body.Client); err != nil {
		return err
	}
	oid, err := h.saiObject(body.OID, body.Entry)
	if err == nil {
		err = h.s.sai.SetFor(body.Client, oid, body.Attribute)
	}
	return answerSAI(w, api.SAIAnswer{}, err)
}

// postSAIGet answers with the values of attributes.
func (h saiHandlers) postSAIGet(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIGet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	oid, err := h.saiObject(body.OID, body.Entry)
	var values []sai.Value
	if err == nil {
		values, err = h.s.sai.Get(oid, body.IDs)
	}
	return answerSAI(w, api.SAIAnswer{Values: values}, err)
}

func (h saiHandlers) postSAIStats(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIGet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	stats, err := h.s.sai.Stats(body.OID, body.IDs)
	return answerSAI(w, api.SAIAnswer{Stats: stats}, err)
}

func (h saiHandlers) postSAIClear(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIGet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	return answerSAI(w, api.SAIAnswer{}, h.s.sai.Clear(body.OID, body.IDs))
}

func (h saiHandlers) getSAIObjects(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, h.s.sai.Objects())
}

// getSAIOIDs answers with the ids of the objects of a type, with how many more may be made, and for routes with their
// entries.
func (h saiHandlers) getSAIOIDs(w http.ResponseWriter, r *http.Request) error {
	query, err := saiNumbers(r, "type")
	if err != nil {
		return err
	}
	t := sai.ObjectType(query["type"])
	oids := h.s.sai.OIDs(t)
	return reply(w, http.StatusOK, api.SAIOIDs{OIDs: oids, Room: h.s.sai.Room(t), Entries: h.s.sai.Routes(oids)})
}

func (h saiHandlers) getSAICapability(w http.ResponseWriter, r *http.Request) error {
	query, err := saiNumbers(r, "type", "id")
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, h.s.sai.AttributeCapability(sai.ObjectType(query["type"]), query["id"]))
}

func (h saiHandlers) getSAIStatistics(w http.ResponseWriter, r *http.Request) error {
	query, err := saiNumbers(r, "type")
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, h.s.sai.StatCapabilities(sai.ObjectType(query["type"])))
}

// saiNumbers returns the query parameters of a request with the given keys, all numbers and all mandatory, by key.
func saiNumbers(r *http.Request, keys ...string) (map[string]uint32, error) {
	values, err := parameters(r, keys...)
	if err != nil {
		return nil, err
	}
	out := map[string]uint32{}
	for _, key := range keys {
		n, err := strconv.ParseUint(values.Get(key), 10, 32)
		if err != nil {
			return nil, badRequest(key, "query: %s %q: a number is wanted", key, values.Get(key))
		}
		out[key] = uint32(n)
	}
	return out, nil
}

// getSAIWatch streams SAI notifications of port states, one JSON object a line: first the state of every port, then
// each change. The stream ends when the client or the daemon ends, and for a client so slow that it may have missed a
// change; the client then connects again and gets the state of every port.
func (h saiHandlers) getSAIWatch(w http.ResponseWriter, r *http.Request) error {
	defer h.s.watch.open.Add(-1)
	if err := streams(h).admit(); err != nil {
		return err
	}
	query, err := parameters(r, "client")
	if err != nil {
		return err
	}
	if err := checkClient(query.Get("client")); err != nil {
		return err
	}
	defer h.s.sai.Enter(query.Get("client"))()
	changes, unsubscribe := h.s.sai.Subscribe()
	defer unsubscribe()
	watch, now := h.s.sai.Watch()
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: h.s.watch.stall}
	if lines.begin("application/x-ndjson") != nil {
		return nil // the client has closed the connection
	}
	for {
		for _, n := range now {
			if line, err := json.Marshal(nonnull.Lists(n)); err != nil || lines.write(append(line, '\n')) != nil {
				return nil
			}
		}
		select {
		case e, open := <-changes:
			if !open || model.Lags(changes) {
				return nil
			}
			now = watch.Notifications(e)
		case <-h.s.stopped.Done():
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}
