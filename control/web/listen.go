package web

import (
	"fmt"
	"net"
)

// mostConnections is the largest number of open connections. Each open page has a connection for its stream; other
// connections close soon after their answer.
const mostConnections = 2 * mostStreams

// Listen opens a TCP listener at the address of key web.listen.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("page: %w: set another web.listen", err)
	}
	return l, nil
}
