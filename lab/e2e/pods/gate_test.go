package pods

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// gate is a socket in front of the daemon's. It passes requests on, and stops the first change of ports at a place.
type gate struct {
	socket  string
	place   string        // before: the daemon has not got the request; after: the plugin has not got the answer
	reached chan struct{} // the request has stopped; closed
	open    chan struct{} // the request goes on; closed
}

// newGate opens a gate to a node's daemon.
func (n *node) newGate(t *testing.T, place string) *gate {
	t.Helper()
	g := &gate{filepath.Join(t.TempDir(), "gate"), place, make(chan struct{}), make(chan struct{})}
	l, err := net.Listen("unix", g.socket)
	bed.Must(t, err)
	onward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "uelink"})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", n.Socket)
	}
	onward.Transport = &http.Transport{DisableKeepAlives: true, DialContext: dial}
	onward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // no answer
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || g.hasStopped() {
			onward.ServeHTTP(w, r)
			return
		}
		g.stop("before")
		answer := httptest.NewRecorder()
		onward.ServeHTTP(answer, r)
		g.stop("after")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // unless the plugin has been killed
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return g
}

func (g *gate) hasStopped() bool {
	select {
	case <-g.reached:
		return true
	default:
		return false
	}
}

// stop stops a request at the place of the gate, until it is open.
func (g *gate) stop(place string) {
	if place == g.place {
		close(g.reached)
		<-g.open
	}
}

// withoutNamespace calls ADD for a pod whose namespace goes when the request for the port is at a place.
func (n *node) withoutNamespace(t *testing.T, place, config string) answer {
	t.Helper()
	pod, err := netns.New("gone")
	bed.Must(t, err)
	g := n.newGate(t, place)
	added := make(chan answer)
	go func() { added <- n.call(t, "ADD", "c1", pod.Path(), strings.Replace(config, n.Socket, g.socket, 1)) }()
	<-g.reached
	bed.Must(t, pod.Close())
	close(g.open)
	return <-added
}
