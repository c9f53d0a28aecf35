package vectors

import (
	"uelink/decode"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// tableFormat is a format and, if it is one of UET, what it is chosen by.
type tableFormat struct {
	format *layout.Format
	uet    *uet.Format // nil: of the link
}

// allFormats is every format: those of the link, then those of UET.
func allFormats() (list []tableFormat) {
	for _, f := range decode.Formats() {
		list = append(list, tableFormat{format: f})
	}
	formats := uet.Formats()
	for i := range formats {
		list = append(list, tableFormat{&formats[i].Format, &formats[i]})
	}
	return list
}
