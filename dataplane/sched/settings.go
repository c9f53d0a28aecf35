package sched

// Queues is the most queues of a port.
const Queues = 32

// Settings is the configuration of a port's scheduler. The zero Settings serves all queues equally, without a limit.
type Settings struct {
	Queues [Queues]QueueSettings
	Rate   uint64 // bits a second, 0 = no limit; SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE
	Burst  uint32 // octets that an idle port may send at once: the depth of the token bucket
}

// QueueSettings is the configuration of a queue.
type QueueSettings struct {
	Group  uint8 // strict priority: a group is served when the groups above have no frame to send
	Weight uint8 // share within its group, 0 counts as 1; SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT
}
