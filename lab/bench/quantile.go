package main

import (
	"fmt"
	"slices"
)

// quantile returns the value that a share q (0 to 1) of the values does not exceed; 0 without values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return v[min(len(v)-1, int(q*float64(len(v))))]
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// ratios returns each value divided by the value at the same index of to.
func ratios(values, to []float64) []float64 {
	r := make([]float64, min(len(values), len(to)))
	for i := range r {
		r[i] = values[i] / to[i]
	}
	return r
}

// quartiles returns the first and the third quartile of the values as text, such as "0.98–1.03".
func quartiles(values []float64) string {
	return fmt.Sprintf("%.2f–%.2f", quantile(values, 0.25), quantile(values, 0.75))
}
