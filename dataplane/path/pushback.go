package path

// pushback is why STATION tells the partner to wait with its data.
type pushback struct {
	holding  bool // the sockets are being reopened
	refusing bool // the edge has no room for frames: they are refused before LLR's verdict
}

// Hold sets whether STATION tells the partner to wait because the sockets are being reopened.
func (l *Link) Hold(on bool) { l.pushback.holding = on }
