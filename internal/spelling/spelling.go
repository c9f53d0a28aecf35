// Package spelling finds the word that a mistyped one was meant to be.
package spelling

// Nearest returns the word of words that is most like the mistyped word typed, at most 2 edits away; "" if none is
// that similar.
func Nearest(typed string, words []string) string {
	best, distance := "", 3
	for _, word := range words {
		if d := edits(typed, word); d < distance {
			best, distance = word, d
		}
	}
	return best
}

// edits returns the least number of octets to insert, delete or replace to turn a into b (Levenshtein distance). For an
// a much longer than b it returns len(a) without a count.
func edits(a, b string) int {
	if len(a) > 2*len(b)+2 {
		return len(a)
	}
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		diagonal := last[0]
		last[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = last[j+1]
			last[j+1] = min(cost, last[j]+1, last[j+1]+1)
		}
	}
	return last[len(b)]
}
