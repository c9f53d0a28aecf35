package agent

// Finding is something about DCBX on a port that an operator should look at.
type Finding struct {
	Cause   string `json:"cause"`   // the kind, as "pfc_differs"
	Text    string `json:"text"`    // a sentence
	Command string `json:"command"` // command that removes the cause; "" if there is none
	At      string `json:"at"`      // place where to type the command, in words; "" is this host
	Note    bool   `json:"note"`    // nothing is wrong
}
