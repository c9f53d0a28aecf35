package topology

import (
	"cmp"
	"strconv"
	"strings"

	"uelink/lab/cable"
)

// hasCable reports whether the wire is a process `uelink cable`. Else it is a veth between the stations.
func (w *Wire) hasCable() bool { return len(w.Faults.words()) > 0 || w.Faults.Control }

// arguments returns the arguments of uelink for the wire's cable between its interfaces a and b. control is the path of
// its socket.
func (w *Wire) arguments(control string) []string {
	f := &w.Faults
	args := append([]string{"--mode", f.mode(), "--stats-interval", "0", "--seed", strconv.FormatUint(uint64(f.Seed), 10)},
		f.words()...)
	if f.Control {
		args = append(args, "--control", control)
	}
	return append(args, "a", "b")
}

// words returns the flags of the faults that a file names.
func (f *Faults) words() (args []string) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	add := func(set bool, flag, value string) {
		if set {
			args = append(args, "--"+flag, value)
		}
	}
	add(f.Loss > 0, "loss", number(float64(f.Loss)))
	add(f.Burst != 1, "burst", number(f.Burst))
	add(f.Corrupt > 0, "corrupt", number(float64(f.Corrupt)))
	add(f.Duplicate > 0, "duplicate", number(float64(f.Duplicate)))
	add(f.Reorder > 0, "reorder", number(float64(f.Reorder)))
	add(f.Delay > 0, "delay", f.Delay.String())
	add(f.Jitter > 0, "jitter", f.Jitter.String())
	add(f.Rate != "0", "rate", f.Rate)
	add(f.Queue > 0, "queue", strconv.Itoa(f.Queue))
	add(f.Netem != "", "netem", f.Netem)
	for _, r := range f.Rules {
		add(true, "rule", r)
	}
	if f.Analyze {
		args = append(args, "--analyze")
	}
	return args
}

// mode returns where the cable of a wire moves frames: in the kernel for loss and corruption alone, in user space for
// other faults; with netem the cable chooses (auto). The cable does not choose for corruption, because it would choose
// user space while a station has no XDP program yet.
func (f *Faults) mode() string {
	switch {
	case f.Netem != "":
		return cable.ModeAuto
	case f.Duplicate+f.Reorder > 0 || f.Delay+f.Jitter > 0 || f.Rate != "0" || f.Control || f.Analyze || len(f.Rules) > 0:
		return cable.ModeUser
	}
	return cable.ModeKernel
}

// String returns the faults in the words of a cable's flags, "none" without any.
func (f *Faults) String() string {
	words := f.words()
	for i := range words {
		words[i] = strings.TrimPrefix(words[i], "--")
	}
	return cmp.Or(strings.Join(words, " "), "none")
}
