// Package docs has no code. Its tests hold the documents in this directory to the
// tree: what they name has to be there.
package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// document is one that the project is built from. Its clauses are every sentence,
// table row, state and timer in it that demands something.
type document struct {
	Key     string   `yaml:"key"`
	Title   string   `yaml:"title"`
	About   string   `yaml:"about"`
	Clauses []clause `yaml:"clauses"`
}

// clause is built, then where and tests name by what, or it says in not_built why
// it is not.
type clause struct {
	ID       string   `yaml:"id"`
	Section  string   `yaml:"section"`
	Text     string   `yaml:"text"`
	Where    []string `yaml:"where"`
	Tests    []string `yaml:"tests"`
	Departs  string   `yaml:"departs"`
	NotBuilt string   `yaml:"not_built"`
}

// TestClauses holds clauses.yaml to the tree, and the comments of the tree to clauses.yaml.
func TestClauses(t *testing.T) {
	text, err := os.ReadFile("data/clauses.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, problems := check(os.DirFS(".."), text)
	for _, p := range problems {
		t.Errorf("docs/data/clauses.yaml: %s", p)
	}
	for _, d := range documents {
		t.Log(d.summary())
	}
	checkClauseComments(t, documents)
}

// summary counts the clauses of a document.
func (d *document) summary() string {
	departs, notBuilt := 0, 0
	for _, c := range d.Clauses {
		if c.Departs != "" {
			departs++
		}
		if c.NotBuilt != "" {
			notBuilt++
		}
	}
	all := len(d.Clauses)
	return fmt.Sprintf("%s: %d clauses, %d with tests, %d of them depart, %d not built",
		d.Key, all, all-notBuilt, departs, notBuilt)
}

// check reads the list and returns it, with one line for each thing that is wrong:
// the clause, what it is, and what to do.
func check(tree fs.FS, text []byte) (documents []document, problems []string) {
	if err := yaml.Load(text, &documents, yaml.WithKnownFields()); err != nil {
		return nil, []string{err.Error()}
	}
	c := checker{sources: sources{tree: tree}, ids: map[string]bool{}}
	if len(documents) == 0 {
		c.fail("the list", errors.New("there is no document in it"))
	}
	for _, d := range documents {
		c.document(&d)
	}
	return documents, c.problems
}

// checker gathers what is wrong.
type checker struct {
	sources  sources
	ids      map[string]bool
	problems []string
}

// fail notes what is wrong with a clause or a document, if it is.
func (c *checker) fail(what string, err error) {
	if err != nil {
		c.problems = append(c.problems, fmt.Sprintf("%s: %v", what, err))
	}
}

func (c *checker) document(d *document) {
	c.fail("document "+d.Key, unwritten("key", d.Key, "title", d.Title, "about", d.About))
	for i := range d.Clauses {
		one := &d.Clauses[i]
		c.fail(one.ID, c.id(d.Key, one.ID))
		c.fail(one.ID, unwritten("section", one.Section, "text", one.Text))
		c.fail(one.ID, one.state())
		for _, where := range one.Where {
			c.fail(one.ID, c.sources.place(where))
		}
		for _, test := range one.Tests {
			c.fail(one.ID, c.sources.test(test))
		}
	}
}

var number = regexp.MustCompile(`^[a-z0-9-]+\.[1-9][0-9]*$`)

// id tells what is wrong with the id of a clause.
func (c *checker) id(key, id string) error {
	if rest, ok := strings.CutPrefix(id, key+"/"); !ok || !number.MatchString(rest) {
		return fmt.Errorf("this is no id: write %s/topic.1, a topic in lower case and a number", key)
	}
	if c.ids[id] {
		return errors.New("the id is there twice: give each clause its own")
	}
	c.ids[id] = true
	return nil
}

// state tells what a clause lacks to be either built or not built.
func (c *clause) state() error {
	built := len(c.Tests)+len(c.Where) > 0 || c.Departs != ""
	switch {
	case !built && c.NotBuilt == "":
		return errors.New("it has neither tests nor not_built: name the tests that show it, or say why it is not built")
	case built && c.NotBuilt != "":
		return errors.New("it is built and not built: make two clauses of it, one with tests, one with not_built")
	case built && len(c.Tests) == 0:
		return errors.New("no test shows it: name those that do, or write one")
	case built && len(c.Where) == 0:
		return errors.New("where is missing: name the file, or file:Symbol, that does it")
	}
	return nil
}

// unwritten tells which of some keys have no value.
func unwritten(keysAndValues ...string) error {
	for i := 0; i < len(keysAndValues); i += 2 {
		if strings.TrimSpace(keysAndValues[i+1]) == "" {
			return fmt.Errorf("%s is missing: write it", keysAndValues[i])
		}
	}
	return nil
}
