package sched

// Queues is how many queues a port has at most.
const Queues = 32

// Settings is the scheduler of a port. The zero Settings serves all queues alike,
// without a limit.
type Settings struct {
	Queues [Queues]QueueSettings
	Rate   uint64 // bits a second, 0 = no limit; SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE
	Burst  uint32 // octets, of the shaper
}

// QueueSettings is one queue.
type QueueSettings struct {
	Group  uint8 // strict priority: a group is served when those above it have nothing to send
	Weight uint8 // share within its group, 0 counts as 1; SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT
}
