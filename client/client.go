// Package client asks a running daemon over its unix socket: for ports, counters, neighbours and events, and to change
// settings.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"uelink/control/api"
)

// requestTimeout bounds every request but a watch.
const requestTimeout = 10 * time.Second

// upgradeTimeout bounds the wait for a hand-over: the time within which the daemon answers.
const upgradeTimeout = 20 * time.Second

// errorMax is the largest body of an error that is read, in octets.
const errorMax = 64 << 10

// NoDaemonError reports that no daemon could be reached.
type NoDaemonError struct {
	Socket string
	Err    error // of connecting
}

// Error returns a message with the socket and the remedy.
func (e *NoDaemonError) Error() string {
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		return fmt.Sprintf("no daemon: there is no socket %s: start uelinkd, or give --socket the path in its "+
			"control.socket", e.Socket)
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return fmt.Sprintf("no daemon: nobody listens on %s, which a daemon left behind: start uelinkd again", e.Socket)
	case errors.Is(e.Err, fs.ErrPermission):
		return fmt.Sprintf("no daemon: permission denied on %s: use sudo, or join the group in control.group of "+
			"uelinkd", e.Socket)
	default:
		return fmt.Sprintf("no daemon: %s: %v: see whether uelinkd runs", e.Socket, e.Err)
	}
}

// Unwrap returns the error of connecting to the socket, for errors.Is and errors.As.
func (e *NoDaemonError) Unwrap() error { return e.Err }

// ExitCode returns 4, the exit code of a request to which no daemon answered.
func (e *NoDaemonError) ExitCode() int { return 4 }

// Client sends requests to the daemon on a socket. Its methods return *NoDaemonError if there is no daemon,
// *SilentDaemonError if it does not answer, and *Error if it refuses.
type Client struct {
	socket string
	http   *http.Client
	peer   atomic.Int64 // process of the daemon; 0: not known
}

// NewClient returns a client of the API on the unix socket of that path; it connects at the first request.
func NewClient(socket string) *Client {
	c := &Client{socket: socket}
	c.http = &http.Client{Transport: &http.Transport{DialContext: c.dial}}
	return c
}

// dial connects to the daemon, unless its process is stopped.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", c.socket)
	if err != nil {
		return nil, &NoDaemonError{Socket: c.socket, Err: err}
	}
	pid, err := c.awaken(ctx, conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	c.peer.Store(int64(pid))
	return conn, nil
}

// Close closes the client's idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Status returns the daemon's version, process and configuration file.
func (c *Client) Status(ctx context.Context) (api.Status, error) {
	return get[api.Status](ctx, c, "/v1/status")
}

// Confirm confirms the start or the reload of a daemon that runs with --confirm. The daemon undoes a start or reload
// that is not confirmed in time.
func (c *Client) Confirm(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/v1/confirm", nil, nil)
}

// Reload makes the daemon read its configuration file again, and returns the outcome: a refusal has errors.
func (c *Client) Reload(ctx context.Context) (done api.Reload, err error) {
	err = c.do(ctx, http.MethodPost, "/v1/reload", nil, &done)
	return done, err
}

// Configuration returns the text of the daemon's configuration file, and a text of it with the changes that commands
// and SAI have made since.
func (c *Client) Configuration(ctx context.Context) (api.Configuration, error) {
	return get[api.Configuration](ctx, c, "/v1/config")
}

// Ports returns the states of all ports, sorted by name.
func (c *Client) Ports(ctx context.Context) ([]api.Port, error) {
	return get[[]api.Port](ctx, c, "/v1/ports")
}

// Port returns the state of the port with that name or interface.
func (c *Client) Port(ctx context.Context, port string) (api.Port, error) {
	return get[api.Port](ctx, c, "/v1/ports/"+url.PathEscape(port))
}

// Workers returns the workers, by number.
func (c *Client) Workers(ctx context.Context) ([]api.Worker, error) {
	return get[[]api.Worker](ctx, c, "/v1/workers")
}

// LLRInterfaces returns the LLR state of every link port, sorted by port.
func (c *Client) LLRInterfaces(ctx context.Context) ([]api.LLRInterface, error) {
	return get[[]api.LLRInterface](ctx, c, "/v1/llr/interfaces")
}

// LLRInterface returns the LLR state of a link port.
func (c *Client) LLRInterface(ctx context.Context, port string) (api.LLRInterface, error) {
	return get[api.LLRInterface](ctx, c, llrPath(port, ""))
}

// LLRProfiles returns all LLR profiles, sorted by name.
func (c *Client) LLRProfiles(ctx context.Context) ([]api.LLRProfile, error) {
	return get[[]api.LLRProfile](ctx, c, "/v1/llr/profiles")
}

// LLRProfile returns the LLR profile of that name.
func (c *Client) LLRProfile(ctx context.Context, name string) (api.LLRProfile, error) {
	return get[api.LLRProfile](ctx, c, "/v1/llr/profiles/"+url.PathEscape(name))
}

// LLRCounters returns the LLR counters of every link port, sorted by port.
func (c *Client) LLRCounters(ctx context.Context) ([]api.LLRCounters, error) {
	return get[[]api.LLRCounters](ctx, c, "/v1/llr/counters")
}

// LLRCountersOf returns the LLR counters of a link port.
func (c *Client) LLRCountersOf(ctx context.Context, port string) (api.LLRCounters, error) {
	return get[api.LLRCounters](ctx, c, "/v1/llr/counters/"+url.PathEscape(port))
}

// ClearCounters sets the counters of a port to 0, or of all ports if port is "".
func (c *Client) ClearCounters(ctx context.Context, port string) error {
	path := "/v1/llr/counters"
	if port != "" {
		path += "/" + url.PathEscape(port)
	}
	return c.do(ctx, http.MethodDelete, path, nil, nil)
}

// SetLLRLocal switches LLR on or off in the receiving direction of a link port (LLR_MODE_LOCAL), until the next
// reload.
func (c *Client) SetLLRLocal(ctx context.Context, port string, on bool) error {
	return c.do(ctx, http.MethodPost, llrPath(port, "/local"), api.Enable{Enabled: &on}, nil)
}

// SetLLRRemote switches LLR on or off in the sending direction of a link port (LLR_MODE_REMOTE), until the next
// reload.
func (c *Client) SetLLRRemote(ctx context.Context, port string, on bool) error {
	return c.do(ctx, http.MethodPost, llrPath(port, "/remote"), api.Enable{Enabled: &on}, nil)
}

// ReinitLLR restarts LLR of a port: its transmitter drops its frames and enters state INIT.
func (c *Client) ReinitLLR(ctx context.Context, port string) error {
	return c.do(ctx, http.MethodPost, llrPath(port, "/reinit"), nil, nil)
}

// LogLevel returns the present level of the daemon's log, such as "info".
func (c *Client) LogLevel(ctx context.Context) (api.LogLevel, error) {
	return get[api.LogLevel](ctx, c, "/v1/log/level")
}

// SetLogLevel sets the level of the daemon's log.
func (c *Client) SetLogLevel(ctx context.Context, level string) error {
	return c.do(ctx, http.MethodPut, "/v1/log/level", api.LogLevel{Level: level}, nil)
}

func llrPath(port, suffix string) string {
	return "/v1/llr/interfaces/" + url.PathEscape(port) + suffix
}

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var v T
	err := c.do(ctx, http.MethodGet, path, nil, &v)
	if isCutOff(err) {
		err = c.do(ctx, http.MethodGet, path, nil, &v)
	}
	return v, err
}

// isCutOff reports whether an error means that the daemon closed the connection without a response. A daemon does so
// when another process takes over; the other process then answers a repeated request.
func isCutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// isLeft reports whether an error means that another process took over before the daemon carried out the request; the
// other process carries out a repeated request.
func isLeft(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status == http.StatusServiceUnavailable && e.Message == api.EndUpgraded
}

// do sends a request with body as JSON, and decodes the response into answer; either may be nil. While the daemon hands
// over, do sends the request again.
func (c *Client) do(asked context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(asked, requestTimeout)
	defer cancel()
	response, err := c.send(ctx, method, path, body)
	for end := time.Now().Add(followFor); isLeft(err) && time.Now().Before(end); {
		time.Sleep(followEvery)
		response, err = c.send(ctx, method, path, body)
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) && asked.Err() == nil {
		pid := int(c.peer.Load())
		return &SilentDaemonError{Socket: c.socket, PID: pid, Stopped: isStopped(pid)}
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("%s: %s: answer of the daemon: %w", c.socket, path, err)
	}
	return nil
}

// send sends a request with body as JSON and returns the response if its status is 2xx; the caller closes the
// response's body. Any other status becomes an error.
func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		octets, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(octets)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://uelinkd"+path, content)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.failed(path, err)
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, c.refused(response)
	}
	return response, nil
}

// failed returns the error of a request to path with the socket's name, without the wrapping of http.Client; a
// NoDaemonError or SilentDaemonError is returned as it is.
func (c *Client) failed(path string, err error) error {
	var noDaemon *NoDaemonError
	var silent *SilentDaemonError
	if errors.As(err, &noDaemon) {
		return noDaemon
	}
	if errors.As(err, &silent) {
		return silent
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return fmt.Errorf("%s: %s: %w", c.socket, path, err)
}

func (c *Client) refused(response *http.Response) error {
	e := &api.Error{Status: response.StatusCode}
	err := json.NewDecoder(io.LimitReader(response.Body, errorMax)).Decode(e)
	if err != nil || e.Message == "" {
		e.Message = fmt.Sprintf("%s: answered %s: is that uelinkd?", c.socket, response.Status)
	}
	return e
}
