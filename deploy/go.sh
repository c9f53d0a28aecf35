#!/bin/sh
# Runs the go command, on a machine without Go, too: deploy/go.sh test ./llr
#
# The go of PATH is used if it can build this tree. Go from 1.21 on can unless GOTOOLCHAIN is local: it fetches the
# version that go.mod names by itself. Else that version comes as a module (golang.org/toolchain) from the Go proxy in
# use, is compared with the checksum below, and stays in ~/.cache/uelink (or XDG_CACHE_HOME). Nothing else changes on
# this machine. A fresh Debian has all that this takes: apt-helper is of apt, perl a dependency of git.
set -eu

# SHA-256 of the module's zip. For another version: GOFLAGS=-mod=mod go mod download -json
# golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64, which asks the checksum database, and sha256sum of the Zip it names.
checksums='
go1.26.8.linux-amd64 30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7
go1.26.8.linux-arm64 02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99
'

# fail ends with one line that says what is missing, and the way out of it.
fail() {
	echo "$version is needed, and not here: $*" >&2
	exit 1
}

# download URL FILE: by curl, or by apt's own program on a Debian that has no curl.
apt=/usr/lib/apt/apt-helper
download() {
	if command -v curl >/dev/null; then
		curl -fsSL --connect-timeout 20 -o "$2" "$1"
	else
		"$apt" -qq download-file "$1" "$2" >/dev/null
	fi
}

# unpack ZIP FOLDER: the files below the module's name, in the form that the go command gives a toolchain: go.mod files
# have their name back, and programs may run.
unpack() {
	perl -MIO::Uncompress::Unzip -MFile::Path=make_path -MFile::Basename -e '
		my ($zip, $folder) = @ARGV;
		my $file = IO::Uncompress::Unzip->new($zip) or die "no zip\n";
		for (my $more = 1; $more > 0; $more = $file->nextStream()) {
			my $path = $file->getHeaderInfo()->{Name};
			$path =~ s,^golang\.org/toolchain@[^/]*/,, or die "$path in the zip\n";
			$path =~ s,(^|/)_go\.mod$,$1go.mod,;
			make_path(dirname("$folder/$path"));
			open my $out, ">", "$folder/$path" or die "$folder/$path: $!\n";
			while ((my $n = $file->read(my $octets)) > 0) { print $out $octets or die "$folder/$path: $!\n" }
			close $out or die "$folder/$path: $!\n";
			chmod 0755, "$folder/$path" if $path =~ m,^(bin|pkg/tool)/|/go_[^/]*_exec$,;
		}' "$1" "$2"
}

# fetch puts the toolchain into $cache/$name. It appears there whole: another fetch at the same time harms nothing.
fetch() (
	sum=$(echo "$checksums" | sed -n "s/^$name //p")
	[ -n "$sum" ] || fail "this tree has no checksum of $name: install $version"
	command -v curl >/dev/null || [ -x "$apt" ] || fail "nothing can download it: install curl, or $version"
	perl -MIO::Uncompress::Unzip -e 1 2>/dev/null || fail "nothing can unpack it: install perl, or $version"
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	cause='no Go proxy is in use (GOPROXY)'
	for proxy in $(echo "$proxies" | tr ',|' '  '); do
		case $proxy in direct | off) continue ;; esac
		echo "$version: from ${proxy#*@}, once, into $cache" >&2
		url=${proxy%/}/golang.org/toolchain/@v/v0.0.1-$name.zip
		download "$url" "$work/zip" 2>"$work/error" && break
		cause=$(sed '/^W:/d; q' "$work/error")
		rm -f "$work/zip"
	done
	[ -s "$work/zip" ] || fail "$cause; connect this machine, name a Go proxy (GOPROXY), or install $version"
	echo "$sum  $work/zip" | sha256sum --status -c || fail "${url#*@} has another checksum than this tree"
	unpack "$work/zip" "$work/go" 2>"$work/error" || fail "$(sed q "$work/error")"
	mv -T "$work/go" "$cache/$name" 2>/dev/null || [ -x "$cache/$name/bin/go" ]
)

tree=$(dirname "$0")/..
if ! (cd "$tree" && go list -m) >/dev/null 2>&1; then
	version=go$(sed -n 's/^go //p' "$tree/go.mod")
	name=$version.linux-$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
	cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/uelink
	proxies=${GOPROXY:-$(cd / && go env GOPROXY 2>/dev/null || true)}
	proxies=${proxies:-https://proxy.golang.org}
	[ -x "$cache/$name/bin/go" ] || fetch
	# Tools and tests run the go of PATH, which would be another, and GOROOT is that of another.
	unset GOROOT
	export GOTOOLCHAIN=local PATH="$cache/$name/bin:$PATH"
fi
# In a clone that belongs to somebody else git answers nobody, and go build would end there to ask it for the version.
# The Makefile knows the version.
# -trimpath as in every program that ships: tests and analyzers then share what make build compiled.
GOFLAGS="$(go env GOFLAGS) -buildvcs=false -trimpath"
export GOFLAGS
exec go "$@"
