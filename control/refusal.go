package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/hippi"
	"uelink/lldp/station"
)

// refusal converts an error of a handler to the API's Error, with the HTTP status (404, 409, 400) and the wrong field
// of the request. An error that it does not know becomes 500.
func refusal(err error) *api.Error {
	var e *api.Error
	var entry *bridge.EntryError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &entry):
		return &api.Error{Status: http.StatusBadRequest, Message: err.Error(), Field: entry.Field}
	case errors.Is(err, model.ErrNoBridge):
		return &api.Error{Status: http.StatusNotFound, Message: err.Error(), Field: "bridge"}
	case errors.Is(err, bridge.ErrNoEntry):
		return &api.Error{Status: http.StatusNotFound, Message: err.Error(), Field: "mac"}
	case errors.Is(err, bridge.ErrEntryExists), errors.Is(err, bridge.ErrTableFull):
		return &api.Error{Status: http.StatusConflict, Message: err.Error(), Field: "mac"}
	case errors.Is(err, dataplane.ErrNoPort), errors.Is(err, station.ErrNoPort):
		return &api.Error{Status: http.StatusNotFound, Message: err.Error(), Field: "port"}
	case errors.Is(err, path.ErrNoVC):
		return &api.Error{Status: http.StatusNotFound, Message: err.Error(), Field: "vc"}
	case errors.Is(err, path.ErrNoCBFC):
		return &api.Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	case errors.Is(err, hippi.ErrNoActivity), errors.Is(err, hippi.ErrInProgress), errors.Is(err, hippi.ErrNotReady),
		errors.Is(err, hippi.ErrTurn),
		errors.Is(err, dataplane.ErrNotLLR), errors.Is(err, dataplane.ErrNotHIPPI):
		return &api.Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	case errors.Is(err, dataplane.ErrNotLink), errors.Is(err, model.ErrNotBridged),
		errors.Is(err, dataplane.ErrWatched), errors.Is(err, dataplane.ErrTraced):
		return &api.Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	default:
		return &api.Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
}

// noBody returns an error if a request that must have no body has one.
func noBody(r *http.Request) error {
	if n, _ := r.Body.Read(make([]byte, 1)); n > 0 {
		return bodyError(errors.New("none is wanted"))
	}
	return nil
}

// bodyError returns the refusal for a body that cannot be read, which names the field if the decoder does.
func bodyError(err error) error {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		message := fmt.Sprintf("body: more than %d octets", bodyMax)
		return &api.Error{Status: http.StatusRequestEntityTooLarge, Message: message}
	}
	e := &api.Error{Status: http.StatusBadRequest, Message: "body: " + strings.TrimPrefix(err.Error(), "json: ")}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		e.Field = wrongType.Field
		e.Message = fmt.Sprintf("body: %s: %s is wanted, not %s", wrongType.Field, wrongType.Type, wrongType.Value)
	} else if wrongType != nil || errors.Is(err, io.EOF) {
		e.Message = "body: a JSON object is wanted"
	}
	return e
}
