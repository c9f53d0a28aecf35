package cable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"uelink/dataplane/fault/netem"
)

// readNetem takes the faults from the words of netem. Losses that the kernel's programs can draw become Fault.Loss and
// Fault.Burst, so that the cable can run in the kernel.
func (o *options) readNetem() error {
	if o.netem == "" {
		return nil
	}
	s, err := netem.Parse(o.netem, readDistribution)
	if err != nil {
		return err
	}
	if s.Seeded {
		o.Fault.Seed = s.Seed
	}
	if s.Limit > longLine*3/4 {
		return fmt.Errorf("netem: limit %d: the queue of a cable holds %d frames at most", s.Limit, longLine*3/4)
	}
	c := o.Fault
	c.Netem = &s
	if err := c.Validate(); err != nil {
		return err
	}
	if loss, burst, ok := onlyLoss(s); ok {
		c.Netem, c.Loss, c.Burst = nil, loss, burst
	}
	o.Fault = c
	return nil
}

// onlyLoss returns the loss and the mean burst of the wire that loses frames with the probabilities of netem's words.
// ok is false if the words have other faults, or losses of a model that the kernel's programs do not have.
func onlyLoss(s netem.Spec) (loss, burst float64, ok bool) {
	l := s.Loss
	rest := s
	rest.Loss, rest.Limit, rest.Seed, rest.Seeded = netem.Loss{}, 0, 0, false
	switch {
	case !reflect.DeepEqual(rest, netem.Spec{}):
		return 0, 0, false
	case l.Model == netem.Random:
		return l.Random.P.Float(), 1, l.Random.Correlation == 0
	case l.Model == netem.GilbertElliott && l.H == 0 && l.K == 0 && l.P > 0 && l.R > 0 && l.R < netem.All:
		p, r := l.P.Float(), l.R.Float() // two states: all frames are lost in one, none in the other
		return p / (p + r), 1 / r, true
	}
	return 0, 0, false
}

// readDistribution reads a table of delays from tc's file NAME.dist.
func readDistribution(name string) ([]int16, error) {
	if strings.ContainsRune(name, '/') {
		return nil, errors.New("the name of a distribution of delays must not contain a slash")
	}
	dirs, _ := filepath.Glob("/usr/lib/*/tc") // the pattern is right
	for _, dir := range append([]string{os.Getenv("TC_LIB_DIR"), "/usr/lib/tc", "/usr/lib64/tc"}, dirs...) {
		text, err := os.ReadFile(filepath.Join(dir, name+".dist"))
		if err == nil {
			return netem.ParseTable(string(text))
		}
	}
	return nil, fmt.Errorf("%s.dist is in none of $TC_LIB_DIR, /usr/lib/tc, /usr/lib/*/tc", name)
}
