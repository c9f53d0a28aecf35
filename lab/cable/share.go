package cable

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// share is the value of a flag for a share of frames.
type share struct {
	name string
	to   *float64
}

// Set parses a number from 0 to 1. A number that tc would read as a percentage is refused; the error gives the number
// as a share, and as a percentage for --netem.
func (s *share) Set(text string) error {
	bare, percent := strings.CutSuffix(text, "%")
	value, err := strconv.ParseFloat(bare, 64)
	switch {
	case err != nil:
		return errors.New("not a number from 0 to 1")
	case percent || value > 1:
		return fmt.Errorf("a share is from 0 to 1: if %s %% is meant, that is --%s %v, or --netem '%[2]s %[1]s%%'",
			bare, s.name, value/100)
	}
	*s.to = value
	return nil
}

// String returns the share as a number.
func (s *share) String() string {
	if s.to == nil {
		return "0"
	}
	return strconv.FormatFloat(*s.to, 'g', -1, 64)
}

// Type returns the kind of the value in the help.
func (s *share) Type() string { return "float" }
