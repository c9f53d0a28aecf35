package trouble

// Kind is a kind of trouble of a port's interface.
type Kind uint8

// The kinds of trouble.
const (
	Program          Kind = iota // the XDP program is detached
	RxQueues                     // frames come by an RX queue without a socket
	Unseen                       // the NIC counts frames that XDP does not see
	Query                        // the kernel does not answer for the interface
	Pieces                       // frames of more chunks than allowed are dropped
	Capture                      // the capture has ended by an error
	MTU                          // the MTU is too small, and the daemon may not set it
	ForeignAddresses             // frames for other addresses do not arrive
	Spread                       // the data of a link comes by several RX queues
	Steering                     // the program still steers by the settings before a reload
	Promiscuous                  // promiscuous mode cannot be switched as the partner's frames need
	Veth                         // the veth for the host still has the settings before a reload
	VethMTU                      // the MTU differs from the MTU that the links allow
	VethChanged                  // a foreign change on the interface cannot be put back
	SameAddress                  // another host has the address of the host's end
	HostNetwork                  // the host's own network does not get its frames
	Absent                       // the interface does not exist
	Renamed                      // the interface was renamed
	RxRing                       // the RX ring is full
	NoChunk                      // no chunk is free for a frame, or every chunk is too small
	NoPlace                      // no place is free for a frame in several chunks
	Missed                       // the NIC has no memory for received frames
	HostTx                       // the host's end of the veth drops frames
	Driver                       // the driver drops frames to send
	Descriptors                  // the kernel refuses descriptors
	SuperRoom                    // super-frames of the host find no room
	SuperLost                    // super-frames of the host, or for it, do not get through
	HostQdisc                    // the queueing discipline of the host's end of the veth drops frames
	PushBack                     // an edge shall push back, and cannot
	Super                        // an edge shall take super-frames, and cannot
	Bookmark                     // the bookmark of the link is not kept for the next process
	LinkLoss                     // the host has no carrier because the link is lost, or its carrier cannot be switched
	TooLong                      // the kernel drops frames of the host that are longer than the MTU of a veth
	HostMTU                      // the two ends of a veth have different MTUs
	MTULowered                   // a program lowers the MTU again and again
	Offloads                     // offloads that are to be off are on
	kinds
)

// reasons holds the word for each kind of trouble, which programs read.
var reasons = [kinds]string{
	Program:          "xdp_program",
	RxQueues:         "rx_queues",
	Unseen:           "unseen_frames",
	Query:            "kernel_query",
	Pieces:           "frame_pieces",
	Capture:          "capture",
	MTU:              "mtu",
	ForeignAddresses: "foreign_addresses",
	Spread:           "rx_spread",
	Steering:         "steering",
	Promiscuous:      "promiscuous",
	Veth:             "veth",
	VethMTU:          "veth_mtu",
	VethChanged:      "veth_changed",
	SameAddress:      "same_address",
	HostNetwork:      "host_network",
	Absent:           "absent",
	Renamed:          "renamed",
	RxRing:           "rx_ring_full",
	NoChunk:          "no_chunk",
	NoPlace:          "no_place",
	Missed:           "rx_missed",
	HostTx:           "host_tx_dropped",
	Driver:           "tx_dropped",
	Descriptors:      "invalid_descriptors",
	SuperRoom:        "rx_super_no_room",
	SuperLost:        "super_frames",
	HostQdisc:        "host_qdisc_dropped",
	PushBack:         "push_back",
	Super:            "offload",
	Bookmark:         "bookmark",
	LinkLoss:         "link_loss",
	TooLong:          "rx_too_long",
	HostMTU:          "host_mtu",
	MTULowered:       "mtu_lowered",
	Offloads:         "offloads",
}

// Reasons returns the words for all kinds of trouble, in the order of the kinds.
func Reasons() []string { return append([]string(nil), reasons[:]...) }
