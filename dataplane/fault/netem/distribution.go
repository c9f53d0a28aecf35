package netem

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scale is one standard deviation, or one jitter, in a table (NETEM_DIST_SCALE).
const scale = 8192

// tableSize is the number of values in a computed table, as in those that tc brings.
const tableSize = 4096

// Distribution returns the table of a distribution that needs no file: uniform (nil), normal, pareto and paretonormal,
// with the values of tc's tables. ok is false for other names.
func Distribution(name string) (table []int16, ok bool) {
	var value func(i int) float64
	switch name {
	case "uniform":
		return nil, true
	case "normal":
		value = normal
	case "pareto":
		value = pareto
	case "paretonormal": // a quarter normal, three quarters Pareto, in whole numbers
		value = func(i int) float64 {
			return math.Trunc((math.RoundToEven(normal(i)) + 3*math.RoundToEven(pareto(i))) / 4)
		}
	default:
		return nil, false
	}
	table = make([]int16, tableSize)
	for i := range table {
		table[i] = int16(min(max(math.RoundToEven(value(i)), math.MinInt16), math.MaxInt16))
	}
	return table, true
}

// normal returns the quantile of step i of the normal distribution as in tc's table. The table has every fourth of
// 16384 steps. The value of a step is the largest multiple of 0.00005 whose probability rounds to the step.
func normal(i int) float64 {
	const steps, grid = 4 * tableSize, 0.00005
	p := (float64(4*i) + 0.5) / steps
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	return math.Floor(x/grid) * grid * scale
}

// pareto returns, for the quantile q of step i of a Pareto distribution of shape 3 and mean 1.5, (q - 1.5) * 4/3.
func pareto(i int) float64 {
	p := float64(tableSize-i) / tableSize
	return min((math.Pow(p, -1.0/3)-1.5)*4/3*scale, math.MaxInt16)
}

// ParseTable reads the numbers of a distribution file of tc (/usr/lib/tc/NAME.dist): lines that begin with # are
// comments. Error: a word that is no number of 16 bits, or too many or no numbers.
func ParseTable(text string) (table []int16, err error) {
	const most = 16 << 10 // of tc
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range strings.Fields(line) {
			n, err := strconv.ParseInt(word, 0, 16)
			if err != nil {
				return nil, fmt.Errorf("%q is no number from -32768 to 32767", word)
			}
			table = append(table, int16(n))
		}
	}
	if len(table) == 0 || len(table) > most {
		return nil, fmt.Errorf("%d numbers: a distribution has 1 to %d", len(table), most)
	}
	return table, nil
}
