package control

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"uelink/control/api"
)

// Upgrader is a daemon that can hand over.
type Upgrader interface {
	// Upgrade hands over to a successor, and returns once the successor moves the frames, or the reason why the daemon
	// goes on. For a check it returns whether a successor could take over.
	Upgrade(u api.Upgrade) (api.Upgraded, error)
}

// staying is a daemon that hands over to nobody.
type staying struct{}

func (staying) Upgrade(api.Upgrade) (api.Upgraded, error) {
	return api.Upgraded{}, errors.New("this daemon cannot hand over")
}

// SetUpgrader sets the part of the daemon that hands over to another process on a request to upgrade. Call SetUpgrader
// before Serve.
func (s *Server) SetUpgrader(u Upgrader) { s.upgrader = u }

// upgradePath is the path of the request to hand over, which this process answers.
const upgradePath = "/v1/upgrade"

// postUpgrade handles the request to hand over to another daemon process. Any client may ask for the daemon's own
// program and configuration; only root and the daemon's user may name others, because that is the right to run
// anything as the daemon.
func (s *Server) postUpgrade(w http.ResponseWriter, r *http.Request) error {
	var u api.Upgrade
	if err := decode(w, r, &u); err != nil {
		return err
	}
	caller, err := callerOf(r)
	if err != nil {
		return err
	}
	if (u.Binary != "" || u.Config != "") && !caller.Owner() {
		return &api.Error{Status: http.StatusForbidden,
			Message: "only root and the daemon's own user may name another program " +
				"or configuration: install it at the daemon's own path, and ask without --binary and --config"}
	}
	for _, path := range []string{u.Binary, u.Config} {
		if path != "" && !filepath.IsAbs(path) {
			return &api.Error{Status: http.StatusBadRequest,
				Message: fmt.Sprintf("%s: a relative path, and the working directory of the daemon may be "+
					"another than yours: give an absolute path", path)}
		}
	}
	u.By = fmt.Sprintf("user %d, process %d", caller.UID, caller.PID)
	done, err := s.upgrader.Upgrade(u)
	if err != nil {
		return &api.Error{Status: http.StatusConflict, Message: err.Error()}
	}
	return reply(w, http.StatusOK, done)
}

// HandOver returns the file descriptors of a listener made by Listen, the socket and its lock file, for another
// process. The listener still owns and closes them.
func HandOver(l net.Listener) ([]int, error) {
	owned, ok := l.(*locked)
	if !ok {
		return nil, errors.New("the socket cannot be handed over")
	}
	socket, err := Descriptor(owned.Listener)
	if err != nil {
		return nil, err
	}
	return []int{socket, int(owned.lock.file.Fd())}, nil
}

// Descriptor returns the file descriptor of a listener. The listener still owns and closes it.
func Descriptor(l net.Listener) (fd int, err error) {
	conn, ok := l.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("%v has no descriptor", l.Addr())
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	return fd, raw.Control(func(number uintptr) { fd = int(number) })
}

// Adopt returns a listener on a socket that another process hands over, by the file descriptors fds that
// HandOver returned there.
func Adopt(s Socket, fds []int) (net.Listener, error) {
	if len(fds) != 2 {
		return nil, s.wrap(fmt.Errorf("%d file descriptors were handed over, and two are needed: of the socket and of "+
			"the lock file", len(fds)))
	}
	f := os.NewFile(uintptr(fds[0]), s.Path)
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, s.wrap(err)
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		return nil, s.wrap(errors.New("the descriptor handed over is no unix socket"))
	}
	u.SetUnlinkOnClose(true)
	return &locked{Listener: u, lock: &lock{os.NewFile(uintptr(fds[1]), LockPath(s.Path))}}, nil
}

// Leave makes a later Close of listener l leave the socket and its lock file on disk, because another process uses
// them.
func Leave(l net.Listener) {
	if owned, ok := l.(*locked); ok {
		owned.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
		owned.left = true
	}
}
