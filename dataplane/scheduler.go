package dataplane

// scheduler holds the queues of a link's virtual channels and says which of them
// is served next. There is one channel, VC 0: its queue takes every frame.
type scheduler struct {
	queues [1]queue
}

// classify is the virtual channel that a frame belongs to.
func (s *scheduler) classify(_ []byte) uint8 { return 0 }

// room is how many frames can come in whatever their channel.
func (s *scheduler) room() int { return s.queues[0].room() }

// len is how many frames wait.
func (s *scheduler) len() int { return s.queues[0].len() }

// next is the channel to be served; ok is false when no frame waits.
func (s *scheduler) next() (vc uint8, ok bool) { return 0, s.queues[0].len() > 0 }
