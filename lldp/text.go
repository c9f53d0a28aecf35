package lldp

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a neighbour's text in a form safe to show: octets outside printable UTF-8 become
// \xNN, so that no neighbour controls a terminal or a log line.
func Text(octets []byte) string {
	if printable(octets) {
		return string(octets)
	}
	var b strings.Builder
	for len(octets) > 0 {
		r, n := utf8.DecodeRune(octets)
		if r == utf8.RuneError && n <= 1 || !unicode.IsPrint(r) {
			fmt.Fprintf(&b, "\\x%02x", octets[0])
			n = 1
		} else {
			b.Write(octets[:n])
		}
		octets = octets[n:]
	}
	return b.String()
}

// printable reports whether octets are UTF-8 without control characters.
func printable(octets []byte) bool {
	if !utf8.Valid(octets) {
		return false
	}
	for _, r := range string(octets) {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func hexadecimal(octets []byte) string { return hex.EncodeToString(octets) }
