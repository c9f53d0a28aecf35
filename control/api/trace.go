package api

import "uelink/dataplane/model"

// Types of a trace, with their JSON.
type (
	TracedFrame = model.TracedFrame
	TracedCopy  = model.TracedCopy  // of a frame, at a port by which it leaves
	TracedCount = model.TracedCount // a counter that has counted a frame
)
