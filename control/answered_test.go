package control

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"uelink/control/api"
)

// A request gets its answer, and an error or a panic of its handler, as without the goroutine in between.
func TestAnswersOfHandlers(t *testing.T) {
	s := &Server{log: zap.NewNop(), handedOver: make(chan struct{})}
	for name, c := range map[string]struct {
		h      handler
		status int
		body   string
	}{
		"an answer": {func(w http.ResponseWriter, _ *http.Request) error { return reply(w, http.StatusOK, "all") },
			http.StatusOK, `"all"`},
		"no content": {func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}, http.StatusNoContent, ""},
		"an error": {func(http.ResponseWriter, *http.Request) error {
			return &api.Error{Status: http.StatusConflict, Message: "not now"}
		}, http.StatusConflict, "not now"},
		"a panic": {func(http.ResponseWriter, *http.Request) error { panic("oh") }, http.StatusInternalServerError, ""},
	} {
		w := httptest.NewRecorder()
		s.answer(s.answered(c.h)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s: %d, %s", name, w.Code, w.Body)
		}
	}
}

// A request that waits for the data plane of this process is told to ask again once another process has it. One that
// ends in time gets its answer.
func TestRequestsInFlightWhenAnotherProcessTakesOver(t *testing.T) {
	s := &Server{log: zap.NewNop(), handedOver: make(chan struct{})}
	ended, began := make(chan struct{}), make(chan struct{})
	defer close(ended)
	waits := s.answered(func(http.ResponseWriter, *http.Request) error {
		close(began)
		<-ended
		return errors.New("nobody reads this")
	})
	go func() {
		<-began
		s.Upgraded()
	}()
	w := httptest.NewRecorder()
	s.answer(waits).ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), api.EndUpgraded) {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
	quick := s.answered(func(w http.ResponseWriter, _ *http.Request) error { return reply(w, http.StatusOK, "all") })
	w = httptest.NewRecorder()
	s.answer(quick).ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/", nil))
	if w.Code != http.StatusOK {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
}
