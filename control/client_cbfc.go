package control

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// CBFC returns credit-based flow control of every link port with CBFC, by port.
func (c *Client) CBFC(ctx context.Context) ([]CBFCInterface, error) {
	return get[[]CBFCInterface](ctx, c, "/v1/cbfc")
}

// CBFCOf returns credit-based flow control of a link port.
func (c *Client) CBFCOf(ctx context.Context, port string) (CBFCInterface, error) {
	return get[CBFCInterface](ctx, c, "/v1/cbfc/"+url.PathEscape(port))
}

// SetVC makes a virtual channel of a link port lossless or best effort, in this end's direction.
func (c *Client) SetVC(ctx context.Context, port string, vc int, lossless bool) error {
	path := fmt.Sprintf("/v1/cbfc/%s/vcs/%d", url.PathEscape(port), vc)
	return c.do(ctx, http.MethodPost, path, Enable{&lossless}, nil)
}

// QoS returns the QoS maps of a port, or of all ports if port is "", by port.
func (c *Client) QoS(ctx context.Context, port string) ([]QoS, error) {
	path := "/v1/qos"
	if port != "" {
		path += "/" + url.PathEscape(port)
	}
	return get[[]QoS](ctx, c, path)
}
