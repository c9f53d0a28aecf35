package vectors

import (
	"uelink/lab/decode"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// tableFormat is a format. A format of UET also has the condition that selects it.
type tableFormat struct {
	format *layout.Format
	uet    *uet.Format // nil: a format of the link
}

// allFormats returns every format: the formats of the link, then those of UET.
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
