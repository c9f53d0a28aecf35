package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration returns the Kind that parses a Go duration from lo to hi; a bare 0 needs no unit.
func Duration(lo, hi time.Duration) Kind[time.Duration] {
	values := fmt.Sprintf("duration, %s to %s", short(lo), short(hi))
	json := measureJSON(`^[+-]?(0|([0-9.]+(ns|us|µs|μs|ms|s|m|h))+)$`, 0, 0)
	return NewKind(values, json, func(s Scalar) (time.Duration, error) {
		d, err := time.ParseDuration(s.Text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: write a number and a unit, such as 50us, 2ms or 1s", s.Text)
		}
		if d < lo || d > hi {
			return 0, fmt.Errorf("%s is out of range: %s to %s", s.Text, short(lo), short(hi))
		}
		return d, nil
	})
}

// short returns the text of a duration as Duration.String does, without trailing zero parts such as 0s.
func short(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	s := strings.Replace(d.String(), "µ", "u", 1)
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// unit is a unit that may follow a number.
type unit struct {
	name   string
	factor float64
}

// units returns the units of a size (KiB, MB) with their octets, longest name first.
func units() []unit {
	return []unit{
		{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1},
	}
}

// Size returns the Kind that parses a number of octets from lo to hi, with or without a unit.
func Size(lo, hi int64) Kind[int64] {
	values := fmt.Sprintf("octets, %d to %d, or with a unit: B, KB, MB, GB, KiB, MiB, GiB", lo, hi)
	json := measureJSON(`^[0-9.]+ ?(B|KB|kB|MB|GB|KiB|MiB|GiB)?$`, lo, hi)
	return NewKind(values, json, func(s Scalar) (int64, error) {
		n, ok := quantity(s.Text, units())
		if !ok {
			return 0, fmt.Errorf(
				"%q is not a size: write octets, or a number and a unit, such as 135000, 64KiB or 8MiB", s.Text)
		}
		if n < float64(lo) || n > float64(hi) {
			return 0, fmt.Errorf("%s is out of range: %d to %d octets", s.Text, lo, hi)
		}
		return int64(n), nil
	})
}

// Bounds of a port's rate limit, bit/s.
const (
	minRate = 8e3
	maxRate = 400e9
)

// BitRate returns the Kind that parses a rate in bit/s with a unit, or 0.
func BitRate() Kind[uint64] {
	units := []unit{{"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}, {"kbps", 1e3}, {"bps", 1}}
	const values = "0, or 8Kbps to 400Gbps, with a unit: bps, Kbps, Mbps, Gbps"
	json := measureJSON(`^(0|[0-9.]+ ?(bps|Kbps|kbps|Mbps|Gbps))$`, 0, 0)
	return NewKind(values, json, func(s Scalar) (uint64, error) {
		n, ok := quantity(s.Text, units)
		switch {
		case !ok || n != 0 && !strings.HasSuffix(s.Text, "bps"):
			return 0, fmt.Errorf("%q is not a rate: write a number and a unit, such as 100Mbps or 2.5Gbps", s.Text)
		case n != 0 && (n < minRate || n > maxRate):
			return 0, fmt.Errorf("%s is out of range: %s", s.Text, values)
		}
		return uint64(n), nil
	})
}

// quantity parses a number that may be followed by a unit, and returns number times unit; ok is false if the text
// is wrong or the result is not whole.
func quantity(s string, units []unit) (n float64, ok bool) {
	factor := 1.0
	for _, u := range units {
		if rest, found := strings.CutSuffix(s, u.name); found {
			s, factor = strings.TrimSuffix(rest, " "), u.factor
			break
		}
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	n = f * factor
	return n, err == nil && n == math.Trunc(n)
}
