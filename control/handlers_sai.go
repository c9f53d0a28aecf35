package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/sai"
)

// OfferSAI sets the store of SAI's objects. Call it before Serve.
func (s *Server) OfferSAI(store *sai.Store) { s.sai = store }

// errNoSAI is the answer of a server without a store.
var errNoSAI = &api.Error{Status: http.StatusNotFound, Message: "this daemon has no objects of SAI", Field: "path"}

// withSAI returns a handler that answers only with a store of SAI's objects.
func (s *Server) withSAI(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.sai == nil {
			return errNoSAI
		}
		return h(w, r)
	}
}

// answerSAI sends the answer to a call that ended with err.
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

func (s *Server) postSAICreate(w http.ResponseWriter, r *http.Request) error {
	var body api.SAICreate
	if err := decode(w, r, &body); err != nil {
		return err
	}
	oid, err := s.sai.Create(sai.ObjectType(body.Type), body.Attributes, body.ExactTimers)
	return answerSAI(w, api.SAIAnswer{OID: oid}, err)
}

func (s *Server) postSAIRemove(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIObject
	if err := decode(w, r, &body); err != nil {
		return err
	}
	return answerSAI(w, api.SAIAnswer{}, s.sai.Remove(body.OID))
}

func (s *Server) postSAISet(w http.ResponseWriter, r *http.Request) error {
	var body api.SAISet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	return answerSAI(w, api.SAIAnswer{}, s.sai.SetAttribute(body.OID, body.Attribute))
}

func (s *Server) postSAIGet(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIGet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	values, err := s.sai.Get(body.OID, body.IDs)
	return answerSAI(w, api.SAIAnswer{Values: values}, err)
}

func (s *Server) postSAIStats(w http.ResponseWriter, r *http.Request) error {
	var body api.SAIGet
	if err := decode(w, r, &body); err != nil {
		return err
	}
	stats, err := s.sai.Stats(body.OID, body.IDs)
	return answerSAI(w, api.SAIAnswer{Stats: stats}, err)
}

func (s *Server) getSAIObjects(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, s.sai.Objects())
}

func (s *Server) getSAIOIDs(w http.ResponseWriter, r *http.Request) error {
	of, err := saiNumbers(r, "type")
	if err != nil {
		return err
	}
	t := sai.ObjectType(of["type"])
	return reply(w, http.StatusOK, api.SAIOIDs{OIDs: s.sai.OIDs(t), Room: s.sai.Room(t)})
}

func (s *Server) getSAICapability(w http.ResponseWriter, r *http.Request) error {
	of, err := saiNumbers(r, "type", "id")
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.sai.AttributeCapability(sai.ObjectType(of["type"]), of["id"]))
}

func (s *Server) getSAIStatistics(w http.ResponseWriter, r *http.Request) error {
	of, err := saiNumbers(r, "type")
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.sai.StatCapabilities(sai.ObjectType(of["type"])))
}

// saiNumbers returns the numbers of a query, which must have all keys.
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

// getSAIWatch streams notifications, one JSON object a line: first the state of every port, then each change, until
// the client or the daemon ends the stream. It ends the stream of a client that may have missed a change: the client
// connects again and gets the state of every port.
func (s *Server) getSAIWatch(w http.ResponseWriter, r *http.Request) error {
	defer s.watching.Add(-1)
	if err := s.admit(); err != nil {
		return err
	}
	changes, unsubscribe := s.sai.Subscribe()
	defer unsubscribe()
	watch, now := s.sai.Watch()
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: s.watch.stall}
	if lines.begin("application/x-ndjson") != nil {
		return nil // the client has closed the connection
	}
	for {
		for _, n := range now {
			if line, err := json.Marshal(n); err != nil || lines.write(append(line, '\n')) != nil {
				return nil
			}
		}
		select {
		case e, open := <-changes:
			if !open || model.Lags(changes) {
				return nil
			}
			now = watch.Told(e)
		case <-s.stopped.Done():
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}
