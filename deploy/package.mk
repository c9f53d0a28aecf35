# Packages, the image, an installation without a package, and releases; the Makefile includes this file.

# The package's version: the tag, or for a commit without one a version below every release; in the source of a release,
# which is no clone, that of CHANGELOG.md.
DEB_VERSION ?= $(shell $(GIT) describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//; s/-/+/g' | grep . \
	|| $(GIT) log -1 --format='0~git%cd.%h' --date=format:%Y%m%d.%H%M%S 2>/dev/null || $(NEWEST))
DEB_MAINTAINER ?= uelink <uelink@example.org>
# The time of all files of a package: the commit's. In the source of a release its files have this time.
EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell $(GIT) log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md))
DEB_DATE = $(shell LC_ALL=C date -Ru -d @$(EPOCH))

# tar, whose archives of the same files are the same.
TAR = tar --sort=name --format=ustar --mtime=@$(EPOCH) --owner 0 --group 0 --numeric-owner --mode=go=rX,u+rw,a-s

# The architecture that packages are for: ARCH=arm64 on any machine. Their manual pages are made by programs of this one.
ARCH ?= $(shell $(GO) env GOHOSTARCH)
# What an architecture is called by Debian.
DEB_ARCH = $(shell echo $(ARCH) | sed 's/^arm$$/armhf/; s/^386$$/i386/; s/^ppc64le$$/ppc64el/')
DEB_TRIPLET = $(shell echo $(ARCH) | sed 's/^amd64$$/x86_64/; s/^arm64$$/aarch64/')-linux-gnu
RPM_ARCH = $(shell echo $(ARCH) | sed 's/^amd64$$/x86_64/; s/^arm64$$/aarch64/')
# An RPM has no "-" in its version.
RPM_VERSION = $(subst -,~,$(DEB_VERSION))

# The programs that packages have, in a folder, for ARCH.
programs = for program in uelink uelinkd uelink-cni; do GOARCH=$(ARCH) $(GO) build -trimpath -ldflags \
	"-s -w -X $(MODULE_NOW)/control/api.version=$(DEB_VERSION)" -o $(1)/$$program ./cmd/$$program || exit 1; done
# nfpm makes a package of this kind and version, in this file.
nfpm = PACKAGE_ARCH=$(ARCH) DEB_VERSION='$(2)' DEB_MAINTAINER='$(DEB_MAINTAINER)' DEB_TRIPLET=$(DEB_TRIPLET) \
	SOURCE_DATE_EPOCH=$(EPOCH) \
	$(GO) tool -modfile=deploy/nfpm.mod nfpm package -f deploy/$(4) -p $(1) -t $(3)

# packaged: what both kinds of package have, in bin/deb.
packaged: manuals
	mkdir -p bin/deb/bin
	$(call programs,bin/deb/bin)
	gzip -9nf bin/deb/man/*.[158]
	printf 'uelink ($(DEB_VERSION)) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the source.\n\n%s\n' \
		" -- $(DEB_MAINTAINER)  $(DEB_DATE)" | gzip -9n >bin/deb/changelog.gz

# deb: the Debian package in bin, by nfpm, whose version deploy/nfpm.mod pins.
deb: packaged
	$(call nfpm,deb,$(DEB_VERSION),bin/uelink_$(DEB_VERSION)_$(DEB_ARCH).deb,nfpm.yaml)

# rpm: the package for distributions with RPM, in bin.
rpm: packaged
	$(call nfpm,rpm,$(RPM_VERSION),bin/uelink-$(RPM_VERSION)-1.$(RPM_ARCH).rpm,nfpm.yaml)

# Flags of the packaged library. Without debugging information no folder is in the library, nor in its build ID.
HARDENED := -g0 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wl,-z,relro -Wl,-z,now

# libsai-packages: libsai with its header as a Debian package and an RPM, for the architecture of this machine.
libsai-packages: sai-deps
	rm -rf bin/deb/libsai && $(MAKE) --no-print-directory sai-library SAI_OUT=bin/deb/libsai SAI_CFLAGS='$(HARDENED)'
	strip --strip-unneeded -R .comment bin/deb/libsai/libsai.so
	printf 'libsai-uelink ($(DEB_VERSION)) unstable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the source.\n\n%s\n' \
		" -- $(DEB_MAINTAINER)  $(DEB_DATE)" | gzip -9n >bin/deb/changelog-libsai.gz
	$(call nfpm,deb,$(DEB_VERSION),bin/libsai-uelink_$(DEB_VERSION)_$(DEB_ARCH).deb,libsai.yaml)
	$(call nfpm,rpm,$(RPM_VERSION),bin/libsai-uelink-$(RPM_VERSION)-1.$(RPM_ARCH).rpm,libsai.yaml)

# The tag of the image: the package's version in the letters that a tag may have.
IMAGE_TAG ?= $(subst ~,-,$(subst +,-,$(DEB_VERSION)))
# The files of buildah are the tree's own: nothing is left in those of the user.
BUILDAH = buildah --root '$(CURDIR)/bin/image/storage' --runroot '$(CURDIR)/bin/image/run' --storage-driver vfs

# image: the container image in bin for ARCH, as an OCI archive, by buildah. It needs no network but Go's module proxy.
image: image-deps
	@$(MAKE) --no-print-directory image-archive

# image-deps: installs what make image needs.
image-deps:
	@$(call install,$(IMAGE_PACKAGES))

# image-test-deps: installs what the test of the image needs.
image-test-deps: image-deps
	@$(call install,$(IMAGE_TEST_PACKAGES))

# image-root: the root of the image's file system, in IMAGE_ROOT. IMAGE_PROGRAMS is a folder with programs that are built
# already; empty: they are built.
IMAGE_ROOT ?= bin/image/root
IMAGE_PROGRAMS ?=
image-root:
	umask 022 && mkdir -p $(addprefix $(IMAGE_ROOT)/,usr/bin etc/uelink run/uelink tmp \
		usr/share/uelink usr/share/doc/uelink/examples var/lib/uelink)
	umask 022 && if [ -n '$(IMAGE_PROGRAMS)' ]; then \
		install -m 755 $(foreach program,uelink uelinkd uelink-cni,'$(IMAGE_PROGRAMS)'/$(program)) $(IMAGE_ROOT)/usr/bin; \
		else $(call programs,$(IMAGE_ROOT)/usr/bin); fi
	install -m 644 deploy/deb/uelink.yaml $(IMAGE_ROOT)/etc/uelink
	install -m 644 docs/data/uelink.schema.json $(IMAGE_ROOT)/usr/share/uelink
	install -m 644 deploy/uelink.yaml $(IMAGE_ROOT)/usr/share/doc/uelink/examples
	chmod 1777 $(IMAGE_ROOT)/tmp

# image-archive: the container image without installing anything. One archive of an architecture is in bin.
image-archive:
	rm -rf bin/image bin/uelink_*_$(DEB_ARCH).oci.tar
	@$(MAKE) --no-print-directory image-root IMAGE_ROOT=bin/image/root IMAGE_PROGRAMS=
	$(BUILDAH) bud -q --isolation chroot --format oci --arch $(ARCH) --identity-label=false --timestamp $(EPOCH) \
		-t uelink:$(IMAGE_TAG) \
		--label org.opencontainers.image.title=uelink --label org.opencontainers.image.version=$(DEB_VERSION) \
		--label org.opencontainers.image.licenses=Apache-2.0 -f deploy/image/Containerfile bin/image
	$(BUILDAH) push -q uelink:$(IMAGE_TAG) oci:bin/image/oci:uelink:$(IMAGE_TAG)
	$(TAR) -C bin/image/oci -cf bin/uelink_$(IMAGE_TAG)_$(DEB_ARCH).oci.tar blobs index.json oci-layout
	rm -rf bin/image

# manuals: manual pages and completion of both programs, in bin/deb.
manuals: bin/uelink
	rm -rf bin/deb/man bin/deb/completion && mkdir -p bin/deb/man bin/deb/completion
	SOURCE_DATE_EPOCH=$(EPOCH) $(GO) test -vet=off ./cmd/uelink ./cmd/uelinkd ./cmd/uelink-cni ./config \
		-run '^TestManPages?$$' -count=1 '-man.out=$(CURDIR)/bin/deb/man'
	env -u UELINK_SOCKET bin/uelink completion bash >bin/deb/completion/uelink.bash
	env -u UELINK_SOCKET bin/uelink completion zsh >bin/deb/completion/_uelink
	env -u UELINK_SOCKET bin/uelink completion fish >bin/deb/completion/uelink.fish

# install: programs, units, user, manuals and completion below PREFIX (/usr/local), on a host without dpkg.
PREFIX ?= /usr/local
UNITS ?= /etc/systemd/system
install: build manuals
	install -d $(foreach dir,bin share/man/man1 share/man/man5 share/man/man8 share/uelink share/doc/uelink/examples \
		share/bash-completion/completions share/zsh/site-functions \
		share/fish/vendor_completions.d,"$(DESTDIR)$(PREFIX)/$(dir)") \
		"$(DESTDIR)$(UNITS)" $(foreach dir,uelink sysusers.d tmpfiles.d systemd/network \
		NetworkManager/conf.d,"$(DESTDIR)/etc/$(dir)")
	install bin/uelink bin/uelinkd "$(DESTDIR)$(PREFIX)/bin"
	sed 's#/usr/bin/uelinkd#$(PREFIX)/bin/uelinkd#' deploy/uelinkd.service >"$(DESTDIR)$(UNITS)/uelinkd.service"
	sed 's#/usr/bin/uelink#$(PREFIX)/bin/uelink#' deploy/uelink-sonic.service >"$(DESTDIR)$(UNITS)/uelink-sonic.service"
	install -m 644 bin/deb/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 644 bin/deb/man/*.5 "$(DESTDIR)$(PREFIX)/share/man/man5"
	install -m 644 bin/deb/man/*.8 "$(DESTDIR)$(PREFIX)/share/man/man8"
	install -m 644 bin/deb/completion/uelink.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/uelink"
	install -m 644 deploy/completion/uelinkd.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/uelinkd"
	install -m 644 bin/deb/completion/_uelink deploy/completion/_uelinkd "$(DESTDIR)$(PREFIX)/share/zsh/site-functions"
	install -m 644 bin/deb/completion/uelink.fish deploy/completion/uelinkd.fish \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 644 docs/data/uelink.schema.json deploy/prometheus/uelink.rules.yml "$(DESTDIR)$(PREFIX)/share/uelink"
	install -m 644 deploy/grafana/uelink.json "$(DESTDIR)$(PREFIX)/share/uelink/uelink.grafana.json"
	install -m 644 deploy/uelink.yaml "$(DESTDIR)$(PREFIX)/share/doc/uelink/examples"
	install -m 644 deploy/deb/sysusers.conf "$(DESTDIR)/etc/sysusers.d/uelink.conf"
	install -m 644 deploy/deb/tmpfiles.conf "$(DESTDIR)/etc/tmpfiles.d/uelink.conf"
	install -m 644 deploy/deb/networkd.network "$(DESTDIR)/etc/systemd/network/10-uelink.network"
	install -m 644 deploy/deb/NetworkManager.conf "$(DESTDIR)/etc/NetworkManager/conf.d/10-uelink.conf"
	[ -e "$(DESTDIR)/etc/uelink/uelink.yaml" ] || sed 's#/usr/share/#$(PREFIX)/share/#' deploy/deb/uelink.yaml \
		>"$(DESTDIR)/etc/uelink/uelink.yaml"
	@[ -n "$(DESTDIR)" ] || { systemd-sysusers uelink.conf && systemd-tmpfiles --create uelink.conf; }
