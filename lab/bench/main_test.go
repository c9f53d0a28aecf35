package main

import "testing"

// --only chooses the experiment with just that name.
func TestEveryExperimentCanBeChosen(t *testing.T) {
	for _, name := range names() {
		o, err := parse([]string{"--only", name})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range experiments() {
			if o.chosen(e) != (e.name == name) {
				t.Errorf("--only %s: %s is chosen: %v", name, e.name, o.chosen(e))
			}
		}
	}
}
