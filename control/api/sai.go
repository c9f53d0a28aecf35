package api

import "uelink/sai"

// Objects of SAI's store. Each answer of a call has SAI's status, with the reason of a refusal in words.

// SAICreate is the body of a request for a new object.
type SAICreate struct {
	Type       uint32    `json:"type"` // number of sai_object_type_t
	Attributes []sai.Set `json:"attributes"`
	// the timeouts of an LLR profile are used as set; false: timeouts meant for hardware are raised
	ExactTimers bool `json:"exact_timers"`

	Entry *sai.Entry `json:"entry,omitempty"` // of a route
}

// SAIObject is the body of a request that removes an object.
type SAIObject struct {
	OID    sai.OID    `json:"oid"`
	Entry  *sai.Entry `json:"entry,omitempty"`  // instead of oid: a route
	Client string     `json:"client,omitempty"` // name of the client, which detaches if the object is the switch
}

// SAISet is the body of a request that sets an attribute.
type SAISet struct {
	OID       sai.OID    `json:"oid"`
	Entry     *sai.Entry `json:"entry,omitempty"` // instead of oid: a route
	Attribute sai.Set    `json:"attribute"`
	// name of the client; an attribute of a queue lasts as long as the client
	Client string `json:"client,omitempty"`
}

// SAIGet is the body of a request for attributes or statistics of an object.
type SAIGet struct {
	OID   sai.OID    `json:"oid"`
	Entry *sai.Entry `json:"entry,omitempty"` // instead of oid: a route
	IDs   []uint32   `json:"ids"`             // numbers of the attributes or statistics
}

// SAIAnswer is the answer to a call.
type SAIAnswer struct {
	Status sai.Status  `json:"status"` // number of sai_status_t
	Reason string      `json:"reason"` // of a refusal, in words
	OID    sai.OID     `json:"oid,omitempty"`
	Values []sai.Value `json:"values,omitempty"`
	Stats  []uint64    `json:"stats,omitempty"` // counts, in the order of the request
}

// SAIOIDs has the objects of a type.
type SAIOIDs struct {
	OIDs []sai.OID `json:"oids"`
	Room int       `json:"room"` // number of objects that can still be made

	Entries []sai.Entry `json:"entries"` // of routes, in the order of oids
}
