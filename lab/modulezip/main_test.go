package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packed returns a tar with a folder, a file and a link.
func packed(t *testing.T) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range []tar.Header{
		{Name: "m@v1/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "m@v1/go.mod", Typeflag: tar.TypeReg, Mode: 0o644, Size: 9},
		{Name: "m@v1/link", Typeflag: tar.TypeSymlink, Linkname: "go.mod"},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "module m\n"[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// The zip has the files alone, with what they hold.
func TestFilesAlone(t *testing.T) {
	var out bytes.Buffer
	if err := convert(packed(t), &out); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = string(text)
	}
	if diff := cmp.Diff(map[string]string{"m@v1/go.mod": "module m\n"}, got); diff != "" {
		t.Error(diff)
	}
}

// A tar that ends early, or is none, is an error: a pipe hides that git has failed.
func TestNoTar(t *testing.T) {
	whole := packed(t).Bytes()
	for name, in := range map[string][]byte{"empty": nil, "cut": whole[:700], "text": []byte(strings.Repeat("x", 1024))} {
		if err := convert(bytes.NewReader(in), io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
