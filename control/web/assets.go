package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"

	"uelink/internal/printable"
)

//go:embed assets
var files embed.FS

// asset is a file that the page loads.
type asset struct{ name, kind string }

func assets() []asset {
	return []asset{
		{"style.css", "text/css; charset=utf-8"}, {"page.js", "text/javascript; charset=utf-8"},
		{"icon.svg", "image/svg+xml"},
	}
}

// serve answers with the file.
func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	text, err := files.ReadFile("assets/" + a.name)
	if err != nil {
		panic(err) // the file is embedded
	}
	w.Header().Set("Content-Type", a.kind)
	_, _ = w.Write(text) // an error means that the browser has gone
}

// painter makes HTML. html/template escapes every value for its place.
type painter struct{ templates *template.Template }

func newPainter() painter {
	words := template.FuncMap{"symbol": symbol, "upper": strings.ToUpper}
	return painter{template.Must(template.New("").Funcs(words).ParseFS(files, "assets/*.html"))}
}

// symbol returns a character for a state of `uelink status`, as a sign besides the colour.
func symbol(state string) string {
	return map[string]string{"ok": "✓", "warning": "▲", "error": "✖", "info": "•", "warn": "▲"}[state]
}

// paint returns the HTML of a template. Control characters, and characters that change the direction of text, are
// written as their code points: a name sent by an LLDP neighbour may have them.
func (p painter) paint(name string, data any) []byte {
	var html bytes.Buffer
	if err := p.templates.ExecuteTemplate(&html, name, data); err != nil {
		panic(err) // the templates are embedded, and a buffer takes everything
	}
	return printable.Append(nil, html.Bytes())
}

// document returns the whole page with the HTML of its parts.
func (p painter) document(parts []byte) []byte {
	return p.paint("page.html", template.HTML(parts)) // made by the templates
}
