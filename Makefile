# Everything one does daily, one command each.
#
#   make setup     install the Debian packages that are missing
#   make program   build the program to try it: .build/debug/gatehouse
#   make demo      build, then run the five sample apps behind the gateway with a page to try everything
#   make test      build, then run every test, the curl lines of the demo and of the README
#   make quick     build, then run the tests of values alone: while working, in less than a minute
#   make fuzz      build, then feed each parser mutated inputs for half an hour; FUZZ_SECONDS=60 FUZZ_TARGET=NAME for less
#   make format    put Swift sources into the house style
#   make lint      check the style; anything off is an error
#   make lint-packaging   check what is in packaging/, and the packages that are made with it
#   make release   build the optimised binary and print where it is
#   make install   build it and install it below PREFIX (/usr/local)
#   make reference write the tables of docs/configuration.md anew from the schema
#   make docs      build the libraries' documentation, into .build/documentation
#   make site      build the documents as a web site with search, into .build/site
#   make packages   build it and make the files of a release in dist/: archive, Debian package, bill of materials
#   make check-packages   install what `make packages` made in a Debian of its own, run it there, by systemd too, and in
#                         what the Dockerfile's stages give (as root)
#   make bench     build the optimised binary and measure an authenticated request beside its peers
#   make bench-http2   the same over HTTP/2, with and without TLS, and TLS handshakes
#   make bench-instructions   count the instructions of a request by feature, and compare them with those recorded
#   make bench-revocations   what a million revocations, and a Redis that stands still, cost a request
#   make bench-features   what each feature costs a request, beside the peers that have it
#   make bench-sign-ins   how many sign-ins, codes and refreshes a second, and what each costs
#   make bench-tenants   start, reload, memory and requests with 1 to 10,000 tenants, beside nginx, Envoy and Caddy
#   make bench-stored-tenants   ten thousand tenants by API through three instances, while 2,000 requests a second pass
#   make screenshots   take the pictures of the pages for people, the dashboard and the demo in the documents
#   make newcomer  play somebody new in a new clone, by the README alone, and time each step; pictures in .build/newcomer
#   make soak      build it and run it under mixed load with faults for ten minutes
#   make soak-churn   build it and run it for twenty minutes while all around it changes: reloads, keys, servers, Redis
#   make loadtest  build it and play scenarios with k6 beside nginx, HAProxy and Envoy; LOADTEST=quick takes a third
#   make clean     remove what was built

SWIFT ?= swift
# Without debug information, which takes a third of a build's time. With a debugger: `make BUILD_FLAGS= ...`.
BUILD_FLAGS ?= -debug-info-format none
BUILD := $(SWIFT) build $(BUILD_FLAGS)
RUN_TESTS := SWIFT="$(SWIFT)" scripts/run-tests
PREFIX ?= /usr/local
SWIFT_PATHS := Package.swift Sources Tests
# Tests of parsers, and browsers, keep the processor busy, so that servers of tests beside them would be late: apart.
SERVER_TESTS := ^(EndToEndTests|RealClientTests|(Redis|Store)Tests\.(?!FuzzTests|[A-Za-z0-9]*ModelTests))
# So many tests of servers at once: with all of them begun together, each would wait for the rest and miss its own limits.
SERVER_TESTS_AT_ONCE := 32
# Several instances with their Redis servers and Sentinels, or proxies in front, one test at a time: each has the machine
# to itself.
FLEET_TESTS := ^EndToEndTests\.(AccountDeletionFleet|AdoptionFleet|Agreement|Crash|Failover|HostileStore|PausedStore|ProofFleet[A-Za-z]*|RateLimitFleet[A-Za-z]*|RefreshFleet[A-Za-z]*|RevocationPropagation|SignInFleet[A-Za-z]*|ReloadRace|RevokingUnderLoad|Rolling|SharedKeySet|SignalFleet|StorePartition)Tests
# Exclusivity is checked at compile time and in every debug build and test; at run time it costs a third of the user
# instructions of a request. Nothing looks a symbol of the program up by name. LLD packs relocations, which needs glibc
# 2.36, and keeps one of several equal functions: 3.1 MB of 48.7 (docs/decisions/0049-small-program.md).
RELEASE_FLAGS := -c release --product gatehouse --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=safe

.PHONY: setup program demo test quick fuzz format lint release install reference docs site bench bench-instructions bench-http2 bench-revocations bench-features bench-sign-ins bench-tenants bench-stored-tenants screenshots newcomer soak soak-churn loadtest clean
.PHONY: lint-packaging release-binary packages check-packages

setup:
	@scripts/setup

program: setup
	$(BUILD) --product gatehouse

demo: setup
	$(BUILD) --product gatehouse-demo
	@exec "$$($(SWIFT) build --show-bin-path)/gatehouse-demo" $(DEMO_OPTIONS)

test: setup
	@scripts/test-environment >/dev/null
	$(BUILD) --build-tests
	$(BUILD) --product gatehouse
	$(BUILD) --product gatehouse-demo
	scripts/check-links
	scripts/build-site
	scripts/draw-performance --check
	scripts/check-named-tests
	scripts/check-structure --self-test
	scripts/check-documents "$$($(SWIFT) build --show-bin-path)/gatehouse"
	scripts/check-demo "$$($(SWIFT) build --show-bin-path)"
	scripts/check-nginx "$$($(SWIFT) build --show-bin-path)"
	scripts/check-quickstart "$$($(SWIFT) build --show-bin-path)/gatehouse"
	scripts/check-migrations "$$($(SWIFT) build --show-bin-path)/gatehouse"
	scripts/check-docc "$$($(SWIFT) build --show-bin-path)"
	scripts/lint-packaging "$$($(SWIFT) build --show-bin-path)/gatehouse"
	$(RUN_TESTS) --skip "$(SERVER_TESTS)|^IdentityProviderTests\."
	$(RUN_TESTS) --filter "^IdentityProviderTests\."
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(SERVER_TESTS_AT_ONCE) \
		$(RUN_TESTS) --filter "$(SERVER_TESTS)" --skip "$(FLEET_TESTS)|^RealClientTests\."
	$(RUN_TESTS) --filter "^RealClientTests\."
	$(RUN_TESTS) --filter "$(FLEET_TESTS)" --no-parallel

quick: setup
	$(BUILD) --build-tests
	$(RUN_TESTS) --skip "$(SERVER_TESTS)|^IdentityProviderTests\.|(Fuzz|Model|Property)[A-Za-z]*Tests|^DemoTests\."

fuzz: setup
	$(BUILD) --build-tests
	SWIFT="$(SWIFT)" scripts/fuzz

format:
	$(SWIFT) format --in-place --parallel --recursive $(SWIFT_PATHS)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_PATHS)
	@scripts/lint-shell
	scripts/check-structure
	scripts/check-sentences

lint-packaging: program
	scripts/lint-packaging "$$($(SWIFT) build --show-bin-path)/gatehouse"

release: setup release-binary

release-binary:
	$(SWIFT) build $(RELEASE_FLAGS)
	@echo "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

install: release
	install -D "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse" "$(DESTDIR)$(PREFIX)/bin/gatehouse"

reference: program
	scripts/generate-configuration-reference "$$($(SWIFT) build --show-bin-path)/gatehouse"

docs: program
	scripts/check-docc "$$($(SWIFT) build --show-bin-path)" .build/documentation

site: setup
	scripts/build-site

packages: release
	scripts/release "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse" dist
	scripts/lint-deb dist/*.deb

check-packages:
	scripts/check-packages dist

bench: release
	Benchmarks/features "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse" plain

bench-instructions: release
	Benchmarks/instructions "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-http2: release
	Benchmarks/http2 "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-revocations: release
	Benchmarks/revocations "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-features: release
	Benchmarks/features "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-sign-ins: release
	loadtest/sign_ins.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-tenants: release
	PATH="$$(loadtest/environment):$$PATH" loadtest/many_tenants.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-stored-tenants: release
	loadtest/stored_tenants.py --gatehouse "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

screenshots: program
	$(BUILD) --product gatehouse-demo
	scripts/screenshots "$$($(SWIFT) build --show-bin-path)/gatehouse" \
	    "$$($(SWIFT) build --show-bin-path)/gatehouse-demo" docs/images
	scripts/animate-demo "$$($(SWIFT) build --show-bin-path)/gatehouse-demo" docs/images

newcomer: setup
	scripts/play-newcomer .build/newcomer

soak: release
	loadtest/soak.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

soak-churn: release
	loadtest/churn.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

loadtest: release
	PATH="$$(loadtest/environment):$$PATH" loadtest/loadtest.py $(if $(filter quick,$(LOADTEST)),--quick) \
		"$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

clean:
	$(SWIFT) package clean
	rm -rf dist
