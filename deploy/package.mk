# Packages, the image, an installation without a package, and releases; the Makefile includes this file.

# The package's version: the tag, or for a commit without one a version below every release.
DEB_VERSION ?= $(shell $(GIT) describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//; s/-/+/g' | grep . \
	|| echo 0~git$$($(GIT) log -1 --format=%cd --date=format:%Y%m%d.%H%M%S).$$($(GIT) rev-parse --short HEAD))
DEB_ARCH = $(shell $(GO) env GOARCH | sed 's/^arm$$/armhf/; s/^386$$/i386/; s/^ppc64le$$/ppc64el/')
DEB_TRIPLET = $(shell $(GO) env GOARCH | sed 's/^amd64$$/x86_64/; s/^arm64$$/aarch64/')-linux-gnu
DEB_MAINTAINER ?= uelink <uelink@example.org>
DEB_DATE = $(shell $(GIT) log -1 --format=%cD)

# deb: the Debian package in bin, by nfpm, whose version deploy/nfpm.mod pins.
deb: manuals
	mkdir -p bin/deb/bin
	for program in uelink uelinkd; do $(GO) build -ldflags \
		"-s -w -X $(MODULE_NOW)/control/api.version=$(DEB_VERSION)" -o bin/deb/bin/$$program ./cmd/$$program || exit 1; done
	gzip -9nf bin/deb/man/*.[18]
	printf 'uelink ($(DEB_VERSION)) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the source.\n\n%s\n' \
		" -- $(DEB_MAINTAINER)  $(DEB_DATE)" | gzip -9n >bin/deb/changelog.gz
	DEB_VERSION='$(DEB_VERSION)' DEB_MAINTAINER='$(DEB_MAINTAINER)' DEB_ARCH=$(DEB_ARCH) DEB_TRIPLET=$(DEB_TRIPLET) \
		$(GO) tool -modfile=deploy/nfpm.mod nfpm package -f deploy/nfpm.yaml -p deb -t bin/uelink_$(DEB_VERSION)_$(DEB_ARCH).deb

# The tag of the image: the package's version in the letters that a tag may have.
IMAGE_TAG ?= $(subst ~,-,$(subst +,-,$(DEB_VERSION)))
# The files of buildah are the tree's own: nothing is left in those of the user.
BUILDAH = buildah --root '$(CURDIR)/bin/image/storage' --runroot '$(CURDIR)/bin/image/run' --storage-driver vfs

# image: the container image in bin, as an OCI archive, by buildah. It needs no network but Go's module proxy.
image: image-deps
	@$(MAKE) --no-print-directory image-archive

# image-deps: installs what make image needs.
image-deps:
	@$(call install,$(IMAGE_PACKAGES))

# image-test-deps: installs what the test of the image needs.
image-test-deps: image-deps
	@$(call install,$(IMAGE_TEST_PACKAGES))

# image-archive: the container image without installing anything.
image-archive:
	rm -rf bin/image && umask 022 && mkdir -p $(addprefix bin/image/root/,usr/bin etc/uelink run/uelink tmp \
		usr/share/uelink usr/share/doc/uelink/examples var/lib/uelink)
	for program in uelink uelinkd uelink-cni; do $(GO) build -ldflags \
		"-s -w -X $(MODULE_NOW)/control/api.version=$(DEB_VERSION)" -o bin/image/root/usr/bin/$$program ./cmd/$$program || exit 1; \
		done
	install -m 644 deploy/deb/uelink.yaml bin/image/root/etc/uelink
	install -m 644 docs/uelink.schema.json bin/image/root/usr/share/uelink
	install -m 644 deploy/uelink.yaml bin/image/root/usr/share/doc/uelink/examples
	chmod 1777 bin/image/root/tmp
	$(BUILDAH) bud -q --isolation chroot --format oci --timestamp $$($(GIT) log -1 --format=%ct) -t uelink:$(IMAGE_TAG) \
		--label org.opencontainers.image.title=uelink --label org.opencontainers.image.version=$(DEB_VERSION) \
		--label org.opencontainers.image.licenses=Apache-2.0 -f deploy/image/Containerfile bin/image
	rm -f bin/uelink_$(IMAGE_TAG)_$(DEB_ARCH).oci.tar
	$(BUILDAH) push -q uelink:$(IMAGE_TAG) oci-archive:bin/uelink_$(IMAGE_TAG)_$(DEB_ARCH).oci.tar:uelink:$(IMAGE_TAG)
	rm -rf bin/image

# manuals: manual pages and completion of both programs, in bin/deb.
manuals: bin/uelink
	rm -rf bin/deb/man bin/deb/completion && mkdir -p bin/deb/man bin/deb/completion
	$(GO) test -vet=off ./cmd/uelink ./cmd/uelinkd -run '^TestManPages?$$' -count=1 '-man.out=$(CURDIR)/bin/deb/man'
	env -u UELINK_SOCKET bin/uelink completion bash >bin/deb/completion/uelink.bash
	env -u UELINK_SOCKET bin/uelink completion zsh >bin/deb/completion/_uelink
	env -u UELINK_SOCKET bin/uelink completion fish >bin/deb/completion/uelink.fish

# install: programs, units, user, manuals and completion below PREFIX (/usr/local), on a host without dpkg.
PREFIX ?= /usr/local
UNITS ?= /etc/systemd/system
install: build manuals
	install -d $(foreach dir,bin share/man/man1 share/man/man8 share/uelink share/doc/uelink/examples \
		share/bash-completion/completions share/zsh/site-functions \
		share/fish/vendor_completions.d,"$(DESTDIR)$(PREFIX)/$(dir)") \
		"$(DESTDIR)$(UNITS)" $(foreach dir,uelink sysusers.d tmpfiles.d systemd/network \
		NetworkManager/conf.d,"$(DESTDIR)/etc/$(dir)")
	install bin/uelink bin/uelinkd "$(DESTDIR)$(PREFIX)/bin"
	sed 's#/usr/bin/uelinkd#$(PREFIX)/bin/uelinkd#' deploy/uelinkd.service >"$(DESTDIR)$(UNITS)/uelinkd.service"
	sed 's#/usr/bin/uelink#$(PREFIX)/bin/uelink#' deploy/uelink-sonic.service >"$(DESTDIR)$(UNITS)/uelink-sonic.service"
	install -m 644 bin/deb/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 bin/deb/man/*.8 "$(DESTDIR)$(PREFIX)/share/man/man8"
	install -m 644 bin/deb/completion/uelink.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/uelink"
	install -m 644 deploy/completion/uelinkd.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/uelinkd"
	install -m 644 bin/deb/completion/_uelink deploy/completion/_uelinkd "$(DESTDIR)$(PREFIX)/share/zsh/site-functions"
	install -m 644 bin/deb/completion/uelink.fish deploy/completion/uelinkd.fish \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 644 docs/uelink.schema.json deploy/prometheus/uelink.rules.yml "$(DESTDIR)$(PREFIX)/share/uelink"
	install -m 644 deploy/grafana/uelink.json "$(DESTDIR)$(PREFIX)/share/uelink/uelink.grafana.json"
	install -m 644 deploy/uelink.yaml "$(DESTDIR)$(PREFIX)/share/doc/uelink/examples"
	install -m 644 deploy/deb/sysusers.conf "$(DESTDIR)/etc/sysusers.d/uelink.conf"
	install -m 644 deploy/deb/tmpfiles.conf "$(DESTDIR)/etc/tmpfiles.d/uelink.conf"
	install -m 644 deploy/deb/networkd.network "$(DESTDIR)/etc/systemd/network/10-uelink.network"
	install -m 644 deploy/deb/NetworkManager.conf "$(DESTDIR)/etc/NetworkManager/conf.d/10-uelink.conf"
	[ -e "$(DESTDIR)/etc/uelink/uelink.yaml" ] || sed 's#/usr/share/#$(PREFIX)/share/#' deploy/deb/uelink.yaml \
		>"$(DESTDIR)/etc/uelink/uelink.yaml"
	@[ -n "$(DESTDIR)" ] || { systemd-sysusers uelink.conf && systemd-tmpfiles --create uelink.conf; }

# module: gives the module another path, in every file: make module MODULE=example.org/uelink
module:
	@[ -n "$(MODULE)" ] || { echo "name the new path: make module MODULE=example.org/uelink"; exit 2; }
	$(GIT) ls-files '*.go' | xargs sed -i 's#"$(MODULE_NOW)/#"$(MODULE)/#g'
	$(GO) mod edit -module $(MODULE)
	$(GOFMT) -w $$($(GIT) ls-files '*.go')

# The folder of the module in bin/release/proxy, with the capital letters of its path as the go command wants them.
PROXY = bin/release/proxy/$(shell echo '$(MODULE_NOW)' | sed 's/[A-Z]/!\l&/g')/@v

# release: a tag and, in bin/release, tarballs of the programs and of the source with their checksums: make release TAG=v0.1.0
# Where the module's path begins with a host (make module), bin/release/proxy is a GOPROXY that has the module, for
# programs that import the client.
release:
	@[ -n "$(TAG)" ] || { echo "name the tag: make release TAG=v0.1.0"; exit 2; }
	@[ -z "$$($(GIT) status --porcelain)" ] || { echo "commit first: a release is made from a clean tree"; exit 1; }
	$(GIT) tag -a $(TAG) -m "uelink $(TAG)"
	$(MAKE) --no-print-directory build VERSION=$(TAG)
	rm -rf bin/release && mkdir -p bin/release
	$(GIT) archive --prefix uelink-$(TAG)/ -o bin/release/uelink-$(TAG)-source.tar.gz $(TAG)
	tar --owner 0 --group 0 --transform 's#^#uelink-$(TAG)/#' -czf bin/release/uelink-$(TAG)-linux-$$($(GO) env GOARCH).tar.gz \
		README.md LICENSE CHANGELOG.md -C deploy uelinkd.service uelink-sonic.service uelink.yaml deb/sysusers.conf \
		deb/tmpfiles.conf deb/networkd.network deb/NetworkManager.conf -C ../bin uelinkd uelink
	@case '$(MODULE_NOW)' in *.*/*) $(MAKE) --no-print-directory release-module ;; \
		*) echo "no bin/release/proxy: go imports only from a path with a host: make module MODULE=example.org/uelink" ;; esac
	cd bin/release && sha256sum *.tar.gz >SHA256SUMS && cat SHA256SUMS

release-module:
	mkdir -p $(PROXY)
	echo $(TAG) >$(PROXY)/list
	TZ=UTC $(GIT) log -1 --format='{"Version":"$(TAG)","Time":"%cd"}' --date=format-local:%Y-%m-%dT%H:%M:%SZ $(TAG) \
		>$(PROXY)/$(TAG).info
	$(GIT) show $(TAG):go.mod >$(PROXY)/$(TAG).mod
	$(GIT) archive --prefix '$(MODULE_NOW)@$(TAG)/' -o $(PROXY)/$(TAG).zip $(TAG)
