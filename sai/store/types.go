package store

import (
	"fmt"

	"uelink/sai"
)

// The statuses to which the index of the attribute in its list is added: see At.
const (
	invalidAttribute   sai.Status = -0x10000
	invalidValue       sai.Status = -0x20000
	attrNotImplemented sai.Status = -0x30000
	unknownAttribute   sai.Status = -0x40000
	attrNotSupported   sai.Status = -0x50000
)

// refuse returns an Error with SAI status s and a formatted reason.
func refuse(s sai.Status, format string, args ...any) *sai.Error {
	return &sai.Error{Status: s, Reason: fmt.Sprintf(format, args...)}
}
