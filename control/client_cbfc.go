package control

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// CBFC is credit-based flow control of every link port that has it, by port.
func (c *Client) CBFC(ctx context.Context) ([]CBFCInterface, error) {
	return get[[]CBFCInterface](ctx, c, "/v1/cbfc")
}

// CBFCOf is that of one link port.
func (c *Client) CBFCOf(ctx context.Context, port string) (CBFCInterface, error) {
	return get[CBFCInterface](ctx, c, "/v1/cbfc/"+url.PathEscape(port))
}

// SetVC has what a link port sends on a virtual channel be lossless, or best effort.
func (c *Client) SetVC(ctx context.Context, port string, vc int, lossless bool) error {
	path := fmt.Sprintf("/v1/cbfc/%s/vcs/%d", url.PathEscape(port), vc)
	return c.do(ctx, http.MethodPost, path, Enable{&lossless}, nil)
}

// QoS is the maps of one port, or of all if port is "", by port.
func (c *Client) QoS(ctx context.Context, port string) ([]QoS, error) {
	path := "/v1/qos"
	if port != "" {
		path += "/" + url.PathEscape(port)
	}
	return get[[]QoS](ctx, c, path)
}
