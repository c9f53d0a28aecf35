package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Programs of others import the client: it needs the standard library, and packages of ours that need no more.
func TestClientNeedsTheStandardLibraryOnly(t *testing.T) {
	if chain := chainToAnotherModule(t, "../client"); len(chain) > 0 {
		t.Errorf("%s: programs that import the client would need a module of others; move the type or the function "+
			"that is wanted to a package without such imports", strings.Join(chain, "\n\timports "))
	}
}

// The server needs other modules, and the chain says by which imports.
func TestChainToAnotherModule(t *testing.T) {
	chain := chainToAnotherModule(t, "../control")
	if len(chain) < 2 || !strings.HasSuffix(chain[0], "/control") || !strings.Contains(chain[len(chain)-1], ".") {
		t.Errorf("%q", chain)
	}
}

// listed is a package as go list -json describes it.
type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *struct{ Main bool }
}

// chainToAnotherModule returns the shortest chain of imports from the package in a directory to a package that is
// neither of the standard library nor of this module; empty if there is none.
func chainToAnotherModule(t *testing.T, dir string) []string {
	t.Helper()
	packages, start := dependencies(t, dir)
	reached := map[string][]string{start: {start}}
	for next := []string{start}; len(next) > 0; next = next[1:] {
		p := packages[next[0]]
		chain := reached[p.ImportPath]
		if !p.Standard && (p.Module == nil || !p.Module.Main) {
			return chain
		}
		for _, to := range p.Imports {
			if _, seen := reached[to]; !seen && !packages[to].Standard {
				reached[to] = append(slices.Clone(chain), to)
				next = append(next, to)
			}
		}
	}
	return nil
}

// dependencies returns the package in a directory and all packages that it needs, by import path.
func dependencies(t *testing.T, dir string) (packages map[string]listed, start string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Standard,Module", dir).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	packages = map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, start
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath], start = p, p.ImportPath // the package itself comes last
	}
}
