package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCacheHasOnlyWhatIsComplete(t *testing.T) {
	c := Cache{Dir: t.TempDir()}
	broken := errors.New("the network is down")
	write := func(text string, err error) func(string) error {
		return func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o644), err)
		}
	}
	if _, err := c.ensure("part", write("half", broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"whole", "never made"} {
		dir, err := c.ensure("part", write(text, nil))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != "whole" {
			t.Errorf("%q, %v", got, err)
		}
	}
}
