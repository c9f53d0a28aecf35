# Releases; the Makefile includes this file.

# module: gives the module another path, in every file: make module MODULE=example.org/uelink
module:
	@[ -n "$(MODULE)" ] || { echo "name the new path: make module MODULE=example.org/uelink"; exit 2; }
	$(GIT) ls-files '*.go' | xargs sed -i 's#"$(MODULE_NOW)/#"$(MODULE)/#g'
	$(GIT) ls-files '*.md' | xargs sed -i 's#`$(MODULE_NOW)/client`#`$(MODULE)/client`#g'
	$(GO) mod edit -module $(MODULE)
	$(GOFMT) -w $$($(GIT) ls-files '*.go')

# The folder of the module in bin/release/proxy, with the capital letters of its path as the go command wants them.
PROXY = bin/release/proxy/$(shell echo '$(MODULE_NOW)' | sed 's/[A-Z]/!\l&/g')/@v

# The architectures that a release has packages and images for; libsai is of this machine's.
RELEASE_ARCHES ?= amd64 arm64
# The secret key of minisign that signs the checksums, with its password asked for, or none: make release TAG=… KEY=FILE
KEY ?=
# The version of a tag as packages have it: with ~ that of a candidate (v0.2.0-rc.1) is below that of the release.
RELEASE_VERSION = $(subst -,~,$(TAG:v%=%))

# release: a tag and, in bin/release, all that is published of it: make release TAG=v0.1.0 KEY=FILE
# Packages, tarballs, images, libsai, the source, a list of all modules (SPDX), and checksums, signed by minisign. The
# same commit gives the same files. Where the module's path begins with a host (make module), bin/release/proxy is a
# GOPROXY that has the module, for programs that import the client.
release: image-deps sai-deps
	@echo '$(TAG)' | grep -Eq '^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$$' || { \
		echo "'$(TAG)' is no tag of a release: make release TAG=v0.1.0"; exit 2; }
	@[ -z "$(KEY)" ] || command -v minisign >/dev/null || { echo "minisign is missing: apt-get install minisign"; exit 1; }
	@[ -z "$(KEY)" ] || [ -r "$(KEY)" ] || { echo "$(KEY): no such key, or it cannot be read"; exit 1; }
	@[ -z "$$($(GIT) status --porcelain)" ] || { echo "commit first: a release is made from a clean tree"; exit 1; }
	@[ "$$($(GIT) rev-parse -q --verify '$(TAG)^{commit}')" = "$$($(GIT) rev-parse HEAD)" ] || $(GIT) tag -a $(TAG) -m "uelink $(TAG)"
	rm -rf bin/release && mkdir -p bin/release
	$(GIT) -c tar.umask=0022 archive --prefix uelink-$(TAG)/ $(TAG) | gzip -9n >bin/release/uelink-$(TAG)-source.tar.gz
	for arch in $(RELEASE_ARCHES); do \
		$(MAKE) --no-print-directory release-arch ARCH=$$arch DEB_VERSION='$(RELEASE_VERSION)' || exit 1; done
	$(MAKE) --no-print-directory libsai-packages DEB_VERSION='$(RELEASE_VERSION)'
	mv bin/*_$(RELEASE_VERSION)_*.deb bin/*-$(RELEASE_VERSION)-1.*.rpm bin/release
	@case '$(MODULE_NOW)' in *.*/*) $(MAKE) --no-print-directory release-module ;; \
		*) echo "no bin/release/proxy: go imports only from a path with a host: make module MODULE=example.org/uelink" ;; esac
	cd bin/release && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS && cat SHA256SUMS
	@[ -z "$(KEY)" ] || minisign -S -s "$(KEY)" -m bin/release/SHA256SUMS -t 'uelink $(TAG)'

# release-arch: packages, image, tarball and list of modules of one architecture.
release-arch: deb rpm image-archive
	mv bin/uelink_$(IMAGE_TAG)_$(DEB_ARCH).oci.tar bin/release
	$(TAR) --transform 's#^#uelink-$(TAG)/#' -cf - README.md LICENSE CHANGELOG.md -C deploy uelinkd.service uelink-sonic.service \
		uelink.yaml deb/sysusers.conf deb/tmpfiles.conf deb/networkd.network deb/NetworkManager.conf \
		-C ../bin/deb/bin uelinkd uelink uelink-cni | gzip -9n >bin/release/uelink-$(TAG)-linux-$(ARCH).tar.gz
	$(GO) run ./lab/sbom -name uelink-$(TAG)-linux-$(ARCH) -version $(TAG) -time $(EPOCH) bin/deb/bin/* \
		>bin/release/uelink-$(TAG)-linux-$(ARCH).spdx.json

# release-module: the module of a tag as files for GOPROXY.
release-module:
	mkdir -p $(PROXY)
	echo $(TAG) >$(PROXY)/list
	TZ=UTC $(GIT) log -1 --format='{"Version":"$(TAG)","Time":"%cd"}' --date=format-local:%Y-%m-%dT%H:%M:%SZ $(TAG) \
		>$(PROXY)/$(TAG).info
	$(GIT) show $(TAG):go.mod >$(PROXY)/$(TAG).mod
	$(GIT) archive --prefix '$(MODULE_NOW)@$(TAG)/' $(TAG) | $(GO) run ./lab/modulezip >$(PROXY)/$(TAG).zip
