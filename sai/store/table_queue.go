package store

import (
	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/sai"
)

// Numbers of the attributes of a queue.
const (
	queueType    = 0x0
	queuePort    = 0x1
	queueIndex   = 0x2
	queuePause   = 0x7
	queueDequeue = 0xf
	queueEnqueue = 0x10
)

// queueAttributes returns the table of a queue's attributes.
func queueAttributes() []Attribute {
	const noProfile = "always null, the only value that can be set: the daemon has no objects of this type"
	const ends = "; becomes true again when the client that set false detaches (remove_switch) or has been gone for " +
		"10 s, and when the daemon restarts"
	return []Attribute{
		{ID: queueType, Name: "TYPE", Kind: sai.Enum, Flags: Mandatory | CreateOnly | Key, Can: reads,
			Enum: []Enumerator{{"SAI_QUEUE_TYPE_ALL", 0}}, read: func(*view, *object) sai.Value { return sai.Value{} }, Acts: "ALL"},
		{ID: queuePort, Name: "PORT", Kind: sai.ObjectID, Flags: Mandatory | CreateOnly | Key, Refers: sai.TypePort, Can: reads,
			read: portOfQueue, Acts: "the port by which the frames of the queue leave"},
		{ID: queueIndex, Name: "INDEX", Kind: sai.U8, Flags: Mandatory | CreateOnly | Key, Least: 0, Most: cbfc.VCs - 1, Can: reads,
			read: func(_ *view, o *object) sai.Value { return number(o.queue) },
			Acts: "number of the queue; queue i of a link is its virtual channel i"},
		{ID: 0x3, Name: "PARENT_SCHEDULER_NODE", Kind: sai.ObjectID, Flags: Mandatory | CreateAndSet, Refers: sai.TypePort, Can: reads,
			read: portOfQueue, Acts: "the port of the queue; the scheduler of the queue is set in the configuration file"},
		{ID: 0x4, Name: "WRED_PROFILE_ID", Kind: sai.ObjectID, Flags: CreateAndSet, OnlyNull: true, Can: sets, Acts: noProfile},
		{ID: 0x5, Name: "BUFFER_PROFILE_ID", Kind: sai.ObjectID, Flags: CreateAndSet, OnlyNull: true, Can: sets, Acts: noProfile},
		{ID: 0x6, Name: "SCHEDULER_PROFILE_ID", Kind: sai.ObjectID, Flags: CreateAndSet, OnlyNull: true, Can: sets, Acts: noProfile},
		{ID: queuePause, Name: "PAUSE_STATUS", Kind: sai.Bool, Flags: ReadOnly, Can: reads, read: queuePaused,
			Acts: "edge: true while the host pauses the queue by PFC; link: always false"},
		{ID: queueDequeue, Name: "PKT_DEQUEUE_ENABLE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: sets,
			read: queueEnabled(queueDequeue),
			Acts: "false: no frame leaves the queue; new frames wait, and are dropped when the queue is full" + ends},
		{ID: queueEnqueue, Name: "PKT_ENQUEUE_ENABLE", Kind: sai.Bool, Flags: CreateAndSet, Default: 1, Can: sets,
			read: queueEnabled(queueEnqueue),
			Acts: "false: new frames for the queue are dropped and counted; waiting frames leave" + ends},
	}
}

// queueStatistics returns the definitions of a queue's statistics, SAI_QUEUE_STAT_…, in SAI's order.
func queueStatistics() []Statistic {
	const prefix = "SAI_QUEUE_STAT_"
	statistic := func(
		id uint32, name string, modes sai.StatModes, meaning string, read func(*model.QueueState) uint64,
	) Statistic {
		return Statistic{ID: id, Name: prefix + name, Modes: modes, About: meaning, queue: read}
	}
	return []Statistic{
		statistic(0, "PACKETS", clearable, "frames sent", func(q *model.QueueState) uint64 { return q.TxFrames }),
		statistic(1, "BYTES", clearable, "octets of the frames sent, without shim and FCS",
			func(q *model.QueueState) uint64 { return q.TxOctets }),
		statistic(2, "DROPPED_PACKETS", clearable, "frames dropped because the queue was full, or PKT_ENQUEUE_ENABLE false",
			func(q *model.QueueState) uint64 { return q.Dropped }),
		statistic(3, "DROPPED_BYTES", clearable, "octets of the frames dropped",
			func(q *model.QueueState) uint64 { return q.DroppedOctets }),
		statistic(24, "CURR_OCCUPANCY_BYTES", readable, "octets of the frames that wait now",
			func(q *model.QueueState) uint64 { return uint64(q.Occupancy) }),
		statistic(25, "WATERMARK_BYTES", readable, "most octets of frames that waited at a time",
			func(q *model.QueueState) uint64 { return uint64(q.Watermark) }),
		statistic(40, "TRIM_PACKETS", clearable, "frames trimmed for want of room",
			func(q *model.QueueState) uint64 { return q.TrimPackets }),
		statistic(45, "DROPPED_TRIM_PACKETS", clearable, "frames dropped after trimming",
			func(q *model.QueueState) uint64 { return q.DroppedTrimPackets }),
		statistic(46, "TX_TRIM_PACKETS", clearable, "trimmed frames sent", func(q *model.QueueState) uint64 { return q.TxTrimPackets }),
	}
}
