package events

// Level is the weight of an event. The words are those of the log.
type Level uint8

// The levels of events.
const (
	Info    Level = iota // a change that somebody asked for, or that is good
	Warning              // frames cross, and somebody should look
	Error                // frames are lost, or do not cross
)

// String returns the level's name: info, warn or error.
func (l Level) String() string { return [...]string{"info", "warn", "error"}[min(l, Error)] }
