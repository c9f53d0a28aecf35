package api

import (
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// Objects of DCBX. Bit maps and numbers of the TLVs are there as lists and in words, too.

// DCBX is DCBX on a port.
type DCBX struct {
	Port      string          `json:"port"`
	Interface string          `json:"interface"`
	Running   bool            `json:"running"` // DCBX runs on the port
	Enabled   bool            `json:"enabled"` // DCBX is enabled by the administrator
	Version   string          `json:"version"` // configured dialect: auto, ieee or cee
	Dialect   string          `json:"dialect"` // dialect that is spoken: ieee (IEEE 802.1Qaz) or cee
	Peer      dcbx.PeerStatus `json:"peer"`    // state of the DCBX peer
	// reason why DCBX does not run, or why the peer's TLV is unusable
	Note dcbx.Reason   `json:"note"`
	IEEE ieee.Snapshot `json:"ieee"` // state of DCBX in the dialect of IEEE 802.1Qaz
	// state of the control machine of CEE; pg, pfc, app and unknown_sub_tlvs are of CEE, too
	Control  dcbx.ControlSnapshot      `json:"control"`
	PG       dcbx.FeatureView[DCBXPG]  `json:"pg"`
	PFC      dcbx.FeatureView[DCBXPFC] `json:"pfc"`
	App      dcbx.FeatureView[DCBXApp] `json:"app"`
	Unknown  []dcbx.Raw                `json:"unknown_sub_tlvs"` // unknown sub-TLVs of the peer's TLV
	Counters dcbx.Counters             `json:"counters"`
	// content of the peer's TLV of the CIN version of DCBX, shown only; null: the peer sends none
	CIN   *DCBXCIN `json:"peer_cin"`
	DCBNL DCBNL    `json:"dcbnl"`
}

// DCBNL is the state of the settings that DCBX programs into the NIC.
type DCBNL = agent.DCBNL

// DCBXTLV is a DCBX TLV of a neighbour, on a port with or without DCBX. One of the last three fields is set: Message
// for the version that this daemon speaks, CIN for the older version, or Fault, the reason why the TLV is unusable.
type DCBXTLV struct {
	Subtype uint8        `json:"subtype"` // number of the version: 1 CIN, 2 DCBX
	Message *DCBXMessage `json:"message,omitempty"`
	CIN     *DCBXCIN     `json:"cin,omitempty"`
	Fault   string       `json:"fault,omitempty"`
}

// DCBXMessage is the content of a TLV.
type DCBXMessage struct {
	Control dcbx.Control `json:"control"`
	// more than one control sub-TLV was received; this is the first
	ControlDuplicate bool                     `json:"control_duplicate"`
	PG               dcbx.FeatureTLV[DCBXPG]  `json:"pg"`
	PFC              dcbx.FeatureTLV[DCBXPFC] `json:"pfc"`
	App              dcbx.FeatureTLV[DCBXApp] `json:"app"`
	Unknown          []dcbx.Raw               `json:"unknown_sub_tlvs"` // unknown sub-TLVs in their order
}

// DCBXCIN is the content of a TLV of CIN, the older version of DCBX.
type DCBXCIN struct {
	Control dcbx.Control                `json:"control"`
	PG      dcbx.FeatureTLV[DCBXCINPG]  `json:"pg"`
	PFC     dcbx.FeatureTLV[DCBXCINPFC] `json:"pfc"`
	Unknown []dcbx.Raw                  `json:"unknown"`
}

// DCBXPG has settings of Priority Groups.
type DCBXPG struct {
	dcbx.PG
	StrictPriorities Numbers `json:"strict_priorities"` // priorities that are served before all groups
	Text             string  `json:"text"`              // the settings in words
}

// String returns the Priority Group settings in words.
func (c DCBXPG) String() string { return c.Text }

// DCBXPFC has settings of Priority-based Flow Control.
type DCBXPFC struct {
	dcbx.PFC
	PriorityList Numbers `json:"priority_list"` // priorities with PFC, 0 to 7
	Text         string  `json:"text"`          // the settings in words
}

// String returns the PFC settings in words.
func (c DCBXPFC) String() string { return c.Text }

// DCBXApp has settings of the Application feature.
type DCBXApp struct {
	Entries []DCBXAppEntry `json:"entries"`
	Text    string         `json:"text"` // the settings in words
}

// String returns the settings of the DCBX feature Application in words.
func (c DCBXApp) String() string { return c.Text }

// DCBXAppEntry maps one protocol to priorities.
type DCBXAppEntry struct {
	dcbx.AppEntry
	PriorityList Numbers `json:"priority_list"` // priorities of the entry, 0 to 7
	Text         string  `json:"text"`          // the entry in words
}

// DCBXCINPG has settings of bandwidth groups of the CIN version.
type DCBXCINPG struct {
	dcbx.CINPG
	Text string `json:"text"` // the settings in words
}

// String returns the Priority Group settings of the older DCBX version CIN in words.
func (c DCBXCINPG) String() string { return c.Text }

// DCBXCINPFC has settings of PFC of the CIN version.
type DCBXCINPFC struct {
	dcbx.CINPFC
	PriorityList Numbers `json:"priority_list"` // priorities with PFC, 0 to 7
	Text         string  `json:"text"`          // the settings in words
}

// String returns the PFC settings of the older DCBX version CIN in words.
func (c DCBXCINPFC) String() string { return c.Text }
