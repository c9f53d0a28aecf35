package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"uelink/dataplane"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/hippi"
	"uelink/lldp/agent"
)

// Error is the daemon's answer to a request that it refused or could not carry out.
type Error struct {
	Status  int    `json:"-"`     // HTTP status
	Message string `json:"error"` // the message: what is wrong, and what to do
	Field   string `json:"field"` // the wrong field of the body or the path, or ""
}

// Error returns the message that the daemon sent.
func (e *Error) Error() string { return e.Message }

// ExitCode returns 1, the exit code after a request that the daemon refused.
func (e *Error) ExitCode() int { return 1 }

// refusal converts an error of a handler to the API's Error, with HTTP status and the wrong field of the request.
func refusal(err error) *Error {
	var e *Error
	var entry *bridge.EntryError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &entry):
		return &Error{Status: http.StatusBadRequest, Message: err.Error(), Field: entry.Field}
	case errors.Is(err, model.ErrNoBridge):
		return &Error{Status: http.StatusNotFound, Message: err.Error(), Field: "bridge"}
	case errors.Is(err, bridge.ErrNoEntry):
		return &Error{Status: http.StatusNotFound, Message: err.Error(), Field: "mac"}
	case errors.Is(err, bridge.ErrEntryExists), errors.Is(err, bridge.ErrTableFull):
		return &Error{Status: http.StatusConflict, Message: err.Error(), Field: "mac"}
	case errors.Is(err, dataplane.ErrNoPort), errors.Is(err, agent.ErrNoPort):
		return &Error{Status: http.StatusNotFound, Message: err.Error(), Field: "port"}
	case errors.Is(err, path.ErrNoVC):
		return &Error{Status: http.StatusNotFound, Message: err.Error(), Field: "vc"}
	case errors.Is(err, path.ErrNoCBFC):
		return &Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	case errors.Is(err, hippi.ErrNoActivity), errors.Is(err, hippi.ErrInProgress),
		errors.Is(err, dataplane.ErrNotLLR), errors.Is(err, dataplane.ErrNotHIPPI):
		return &Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	case errors.Is(err, dataplane.ErrNotLink), errors.Is(err, model.ErrNotBridged),
		errors.Is(err, dataplane.ErrWatched):
		return &Error{Status: http.StatusConflict, Message: err.Error(), Field: "port"}
	default:
		return &Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
}

// noBody returns an error if a request that must have no body has one.
func noBody(r *http.Request) error {
	if n, _ := r.Body.Read(make([]byte, 1)); n > 0 {
		return bodyError(errors.New("none is wanted"))
	}
	return nil
}

func bodyError(err error) error {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return &Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("body: more than %d octets", bodyMax)}
	}
	e := &Error{Status: http.StatusBadRequest, Message: "body: " + strings.TrimPrefix(err.Error(), "json: ")}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		e.Field = wrongType.Field
		e.Message = fmt.Sprintf("body: %s: %s is wanted, not %s", wrongType.Field, wrongType.Type, wrongType.Value)
	} else if wrongType != nil || errors.Is(err, io.EOF) {
		e.Message = "body: a JSON object is wanted"
	}
	return e
}
