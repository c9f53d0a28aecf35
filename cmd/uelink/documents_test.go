package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellLines returns the lines of a document that people paste into a shell, or that show what they typed.
func shellLines(text string) (lines []string) {
	var block, language string
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		fence, found := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case found && !in:
			in, block, language = true, "", fence
		case found:
			in = false
			if language == "" || language == "sh" || language == "console" {
				lines = append(lines, strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n")...)
			}
		case in:
			block += line + "\n"
		}
	}
	return lines
}

// inContainer begins a line that runs a program in a container.
var inContainer = regexp.MustCompile(`podman exec (-\S+ )*uelink |kubectl .* -- `)

// inline is a command of uelink in the text of a document.
var inline = regexp.MustCompile("`((?:sudo )?(?:bin/)?uelink [^`]+)`")

// programWord is a word of a shell's command by which uelink is called.
var programWord = regexp.MustCompile(`^(?:.*/)?uelink$`)

// shellWord is a word of a line of the shell: quoted, an operator, or plain.
var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|&&|\|\||[|;&<>()]|(?:\\.|[^\s'"|;&<>()])+`)

// commandsIn returns the arguments of each call of uelink in a line of the shell.
func commandsIn(line string) (calls [][]string) {
	var call []string
	open := false
	end := func() {
		if open {
			calls = append(calls, call)
		}
		call, open = nil, false
	}
	first := true // the next word is the name of a program
	for _, word := range shellWord.FindAllString(line, -1) {
		switch {
		case strings.HasPrefix(word, "#"):
			end()
			return calls
		case strings.ContainsAny(word[:1], "&|;<>()"):
			end()
			first = true
		case open:
			call = append(call, strings.Trim(word, `'"`))
		case programWord.MatchString(word) && first && !strings.Contains(word, "="):
			call, open = []string{}, true
		case runsAnother(word) || strings.Contains(word, "="):
		default:
			first = false
		}
	}
	end()
	return calls
}

// runsAnother reports whether a word may stand before the name of the program of a line: a prompt, or a program that
// runs another one, with its arguments.
func runsAnother(word string) bool {
	return strings.Contains(" $ sudo env nice ip netns exec w if while ! do time ",
		" "+word+" ")
}

// parses returns why a call of uelink cannot be typed; nil if it can.
func parses(t *testing.T, args []string) error {
	t.Helper()
	root := newRoot()
	args = inFull(root, args)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if help := cmd.Flags().Lookup("help"); help != nil && help.Changed || cmd.Flags().Changed("version") {
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// documents returns the texts for people, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// Each line of uelink that a document tells to type is one of this tool: its command, its flags and the number of its
// arguments.
func TestDocumentsTellWhatCanBeTyped(t *testing.T) {
	calls := 0
	for name, text := range documents(t) {
		for _, line := range shellLines(text) {
			for _, args := range commandsIn(inContainer.ReplaceAllString(line, "")) {
				if calls++; strings.Contains(line, "…") {
					continue
				}
				if err := parses(t, withoutBrackets(args)); err != nil {
					t.Errorf("%s: %s: %v", name, strings.TrimSpace(line), err)
				}
			}
		}
	}
	if calls < 60 {
		t.Errorf("%d calls of uelink", calls)
	}
}

// placeholders has a value for each word in capitals that stands for a value that is no text.
var placeholders = strings.NewReplacer("LOSS", "0.01", "TIME", "30s")

// withoutBrackets returns arguments without brackets around those that may be left out.
func withoutBrackets(args []string) []string {
	for i := range args {
		args[i] = placeholders.Replace(strings.Trim(args[i], "[]"))
	}
	return args
}

// Each command of uelink in the text of a document is one of this tool. A group may stand for its commands, and a
// command for a call of it without its arguments.
func TestDocumentsNameCommands(t *testing.T) {
	named := 0
	for name, text := range documents(t) {
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1][strings.Index(m[1], "uelink "):])[1:]
			for _, args := range alternatives(words) {
				if strings.Contains(strings.Join(args, " "), "…") {
					continue
				}
				named++
				if err := exists(args); err != nil {
					t.Errorf("%s: %s: %v", name, m[1], err)
				}
			}
		}
	}
	if named < 150 {
		t.Errorf("%d commands of uelink", named)
	}
}

// alternatives returns the arguments of a call for each choice in its words, such as local|remote.
func alternatives(words []string) (all [][]string) {
	all = [][]string{{}}
	for _, word := range words {
		var next [][]string
		for _, choice := range strings.Split(word, "|") {
			if choice == "" { // a pipe
				return all
			}
			for _, args := range all {
				next = append(next, append(args[:len(args):len(args)], choice))
			}
		}
		all = next
	}
	return all
}

// exists returns an error if a call names no command of the tool, or a flag that the command does not have.
func exists(args []string) error {
	root := newRoot()
	args = inFull(root, withoutBrackets(args))
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if isGroup(cmd) && len(rest) > 0 {
		return cmd.ValidateArgs(rest)
	}
	if err := cmd.ParseFlags(rest); err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
		return err
	}
	return nil
}
