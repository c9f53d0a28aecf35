package control

import (
	"context"

	"uelink/sai"
)

// SAIObjects returns all objects of SAI's store.
func (c *Client) SAIObjects(ctx context.Context) ([]sai.Object, error) {
	return get[[]sai.Object](ctx, c, "/v1/sai/objects")
}
