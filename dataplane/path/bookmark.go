package path

import (
	"uelink/dataplane/place"
	"uelink/llr"
)

// bookmark is the receiver's position that survives the process.
type bookmark struct {
	place   *place.Place // where next_rx_seq is saved for the next process
	resumes bool         // STATION carries past, until the partner's LLR_INIT
	past    llr.Bookmark // bookmark left in the place by an earlier process
}
