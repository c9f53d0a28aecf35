package web

import (
	"fmt"
	"net"
)

// mostConnections is the number of connections that are open at a time. Each page that is open has one for its
// stream, and the others close soon after their answer.
const mostConnections = 2 * mostStreams

// Listen opens a TCP listener at the address of key web.listen.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("page: %w: set another web.listen", err)
	}
	return l, nil
}
