package dcbnl

import (
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
)

// command is a number of enum dcbnl_commands.
type command uint8

// The commands used here.
const (
	getState        command = 1
	setState        command = 2
	getGroupsSend   command = 3
	setGroupsSend   command = 4
	getGroupsRecv   command = 5
	setGroupsRecv   command = 6
	getFlowPriority command = 7
	setFlowPriority command = 8
	setAll          command = 9
	getFlowState    command = 14
	setFlowState    command = 15
	setIEEE         command = 20
	getIEEE         command = 21
	getMode         command = 22
	setMode         command = 23
	deleteIEEE      command = 27
)

// reads reports whether the command changes nothing.
func (c command) reads() bool {
	return slices.Contains([]command{getState, getGroupsSend, getGroupsRecv, getFlowPriority, getFlowState, getMode,
		getIEEE}, c)
}

// String returns in words what the DCBNL command does.
func (c command) String() string {
	switch c {
	case getMode:
		return "read whether the host or the NIC's firmware runs DCBX"
	case setMode:
		return "let the host run DCBX"
	case setIEEE:
		return "set ETS, PFC or Application priorities"
	case getIEEE:
		return "read ETS, PFC and Application priorities"
	case deleteIEEE:
		return "remove an Application priority"
	case getState, getGroupsSend, getGroupsRecv, getFlowPriority, getFlowState:
		return "read priority groups and priorities with flow control"
	case setState:
		return "turn DCB on or off"
	case setGroupsSend:
		return "set the priority groups for sent frames"
	case setGroupsRecv:
		return "set the priority groups for received frames"
	case setFlowPriority:
		return "set the priorities with flow control"
	case setFlowState:
		return "turn priority-based flow control on or off"
	default:
		return "put the DCB settings into effect"
	}
}

// Attributes of enum dcbnl_attrs.
const (
	attrIfname     = 1
	attrState      = 2
	attrFlowState  = 3
	attrFlowConfig = 4
	attrGroups     = 6
	attrSetAll     = 7
	attrIEEE       = 13
	attrMode       = 14
)

// Nested attributes.
const (
	attrPriority0   = 1  // DCB_PFC_UP_ATTR_0
	attrPriorityAll = 9  // DCB_PFC_UP_ATTR_ALL
	attrClass0      = 1  // DCB_PG_ATTR_TC_0
	attrClassAll    = 10 // DCB_PG_ATTR_TC_ALL
	attrGroup0      = 11 // DCB_PG_ATTR_BW_ID_0
	attrGroupAll    = 20 // DCB_PG_ATTR_BW_ID_ALL

	attrClassGroup      = 1 // DCB_TC_ATTR_PARAM_PGID
	attrClassPriorities = 2 // DCB_TC_ATTR_PARAM_UP_MAPPING
	attrClassStrict     = 3 // DCB_TC_ATTR_PARAM_STRICT_PRIO
	attrClassShare      = 4 // DCB_TC_ATTR_PARAM_BW_PCT
	attrClassWhole      = 5 // DCB_TC_ATTR_PARAM_ALL
)

// Bits of the mode: DCB_CAP_DCBX_HOST and so on.
const (
	modeHost    = 0x01
	modeManaged = 0x02 // the firmware runs DCBX
	modeCEE     = 0x04
	modeIEEE    = 0x08

	modeHostCEE  = modeHost | modeCEE
	modeHostIEEE = modeHost | modeIEEE
)

// message returns the octets of a DCBNL command after the netlink header: struct dcbmsg, the interface, and the
// attribute of the command, nil for none.
func message(c command, ifname string, attr *nl.RtAttr) []byte {
	b := []byte{unix.AF_UNSPEC, byte(c), 0, 0}
	b = append(b, nl.NewRtAttr(attrIfname, nl.ZeroTerminated(ifname)).Serialize()...)
	if attr == nil {
		return b
	}
	return append(b, attr.Serialize()...)
}

// octet returns a netlink attribute with one octet of data.
func octet(attr int, value uint8) *nl.RtAttr { return nl.NewRtAttr(attr, []byte{value}) }

// groupsAttr returns the netlink attribute DCB_ATTR_PG_CFG with the classes and groups of g.
func groupsAttr(g groups) *nl.RtAttr {
	all := nl.NewRtAttr(attrGroups, nil)
	for i, c := range g.class {
		nested := all.AddRtAttr(attrClass0+i, nil)
		nested.AddChild(octet(attrClassGroup, c.group))
		nested.AddChild(octet(attrClassPriorities, c.priorities))
		nested.AddChild(octet(attrClassStrict, c.strict))
		nested.AddChild(octet(attrClassShare, c.share))
	}
	for i, percent := range g.bandwidth {
		all.AddChild(octet(attrGroup0+i, percent))
	}
	return all
}

// flowAttr returns the netlink attribute DCB_ATTR_PFC_CFG with the priorities that have PFC.
// Clauses: DCBX/pfc.7.
func flowAttr(pfc dcbx.PFC) *nl.RtAttr {
	all := nl.NewRtAttr(attrFlowConfig, nil)
	for i := range classes {
		all.AddChild(octet(attrPriority0+i, pfc.Enable>>i&1))
	}
	return all
}
