package api

// Error is the daemon's answer to a request that it refused or could not carry out.
type Error struct {
	Status  int    `json:"-"`     // HTTP status
	Message string `json:"error"` // the message: what is wrong, and what to do
	Field   string `json:"field"` // the wrong field of the body or the path, or ""
}

// Error returns the message that the daemon sent.
func (e *Error) Error() string { return e.Message }

// ExitCode returns 1, the exit code after a request that the daemon refused.
func (e *Error) ExitCode() int { return 1 }
