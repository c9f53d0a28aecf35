package api

import (
	"uelink/dataplane/model"
)

// Types of the HIPPI-6400-PH side of a link port, with their JSON.
type (
	HIPPI        = model.HIPPIState
	HIPPIChannel = model.HIPPIChannel // a virtual channel
)

// HIPPIInterface is the HIPPI-6400-PH side of a link port, with the name of the port.
type HIPPIInterface struct {
	Port       string `json:"port"`        // name of the port
	Interface  string `json:"interface"`   // network interface of the port
	OperStatus string `json:"oper_status"` // state of the interface: "up", "down" or "absent"
	HIPPI
	Note string `json:"note"` // message for the operator beyond the states, in words; mostly empty
}

// HIPPICommand is a command to a link that speaks HIPPI-6400-PH.
type HIPPICommand struct {
	Command string `json:"command"` // HIPPIReset, HIPPIInitialize or HIPPIClear
}

// The commands.
const (
	HIPPIReset      = "reset"      // Link Reset: all Messages on their way are lost, and counted
	HIPPIInitialize = "initialize" // Initialize: a Link Reset that the partner may pass on
	HIPPIClear      = "clear"      // the logged events become 0
)

// HIPPIAdmin is an Admin micropacket to send (HIPPI-6400 §6.3.6).
type HIPPIAdmin struct {
	VC   int    `json:"vc"`   // number of the virtual channel: 1 for a command, 2 for a response
	Data string `json:"data"` // up to 32 octets in hexadecimal; missing ones are 0
}

// NewHIPPIInterface returns the state of a HIPPI-6400-PH link port; p.HIPPI must not be nil.
func NewHIPPIInterface(p Port) HIPPIInterface {
	i := HIPPIInterface{Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus, HIPPI: *p.HIPPI}
	switch {
	case p.OperStatus != OperUp:
		i.Note = "interface " + p.OperStatus
	case i.PartnerProblem != "":
		i.Note = "partner: " + i.PartnerProblem
	case p.Fault != "":
		i.Note = "fault: " + p.Fault
	}
	return i
}
