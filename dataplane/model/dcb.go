package model

import (
	"fmt"
	"strings"

	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// DCB is the result of DCBX with the host of an edge. The zero value is a port without DCBX: no priority has PFC where
// PFC is dynamic, and the scheduler is the configured one.
// Clauses: DCBX/pfc.11.
type DCB struct {
	Running bool
	// Agreed is whether DCBX has agreed with the host on PFC: the second parameter of SetCfg (DCBX, 3.2.4). PFC holds the
	// priorities to operate by, a bitmap: none if Agreed is false.
	Agreed bool
	PFC    uint8
	// PG holds the priority groups to operate by: the port's own groups unless DCBX has agreed on others (DCBX, 3.1.4).
	PG sched.PriorityGroups
	// Applications are the priorities of frames by the Application table: own entries, and the peer's for other protocols.
	Applications qos.Applications
}

// String returns the state of the DCBX exchange about PFC: not_running, not_agreed or agreed.
func (b DCB) String() string {
	switch {
	case !b.Running:
		return "not_running"
	case !b.Agreed:
		return "not_agreed"
	}
	return "agreed"
}

// Operative returns the settings s of an edge with the result of DCBX applied: the priorities with PFC, the scheduler,
// and the classes of frames.
// Clauses: DCBX/pg.1, DCBX/pfc.1, 802.1Qaz/app.2.
func (b *DCB) Operative(s PortSettings) PortSettings {
	if s.PFC.Dynamic {
		s.PFC.Priorities = b.PFC
	}
	if s.Groups && b.Running {
		queues := b.PG.Queues()
		copy(s.Scheduler.Queues[:], queues[:])
	}
	if s.Applications && s.QoS.Trust == qos.TrustNone && b.Running && b.Applications.Any {
		s.QoS = b.Applications.Map(s.QoS)
	}
	return s
}

// PFCText returns in words the priorities with PFC by DCBX, or why there are none.
func (b *DCB) PFCText() string {
	switch {
	case !b.Running:
		return "no priority has PFC: DCBX does not run with the host"
	case !b.Agreed:
		return "no priority has PFC: DCBX has not agreed with the host"
	case b.PFC == 0:
		return "no priority has PFC: DCBX has agreed on none with the host"
	}
	var list []string
	for i := range 8 {
		if b.PFC>>i&1 == 1 {
			list = append(list, fmt.Sprint(i))
		}
	}
	return "DCBX has agreed with the host on PFC, priorities " + strings.Join(list, ", ")
}
