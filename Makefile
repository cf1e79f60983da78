# Everything one does daily, one command each.
#
#   make setup     install the Debian packages that are missing
#   make demo      build, then run the five sample apps behind the gateway with curl lines to paste
#   make test      build, then run every test, the curl lines of the demo and of the README
#   make format    put Swift sources into the house style
#   make lint      check the style; anything off is an error
#   make release   build the optimised binary and print where it is
#   make bench     build the optimised binary and measure an authenticated request beside its peers
#   make bench-http2   the same over HTTP/2, with and without TLS, and TLS handshakes
#   make bench-revocations   what a million revocations, and a Redis that stands still, cost a request
#   make bench-refresh   what being able to refresh costs a request that needs none
#   make bench-sign-ins   how many sign-ins, codes and refreshes a second, and what each costs
#   make screenshots   take the pictures of the sign-in pages in the documents
#   make soak      build it and run it under mixed load with faults for ten minutes
#   make clean     remove what was built

SWIFT ?= swift
SWIFT_PATHS := Package.swift Sources Tests
# Tests of parsers keep the processor busy for half a minute, in which servers of tests beside them would be late.
SERVER_TESTS := ^(HouseTests|RealClientTests|RedisTests|StoreTests)\.
# Several instances with their Redis servers and Sentinels, one test at a time: each has the machine to itself.
FLEET_TESTS := ^HouseTests\.(Arrival|CutWire|Failover|Killed|PausedStore|RefreshFleet[A-Za-z]*|SignInFleet[A-Za-z]*|RevokingUnderLoad|SharedKeySet)Tests
# Exclusivity is checked at compile time and in every debug build and test; at run time it costs a third of the user
# instructions of a request.
RELEASE_FLAGS := -c release --product gatehouse --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked

.PHONY: setup demo test format lint release bench bench-http2 bench-revocations bench-refresh bench-sign-ins screenshots soak clean

setup:
	@scripts/setup

demo: setup
	$(SWIFT) build --product gatehouse
	@exec "$$($(SWIFT) build --show-bin-path)/gatehouse" demo $(DEMO_OPTIONS)

test: setup
	@scripts/test-environment >/dev/null
	$(SWIFT) build --build-tests
	$(SWIFT) build --product gatehouse
	scripts/check-documents "$$($(SWIFT) build --show-bin-path)/gatehouse"
	scripts/check-demo "$$($(SWIFT) build --show-bin-path)/gatehouse"
	$(SWIFT) test --skip-build --skip "$(SERVER_TESTS)"
	$(SWIFT) test --skip-build --filter "$(SERVER_TESTS)" --skip "$(FLEET_TESTS)"
	$(SWIFT) test --skip-build --filter "$(FLEET_TESTS)" --no-parallel

format:
	$(SWIFT) format --in-place --parallel --recursive $(SWIFT_PATHS)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_PATHS)
	@scripts/lint-shell

release: setup
	$(SWIFT) build $(RELEASE_FLAGS)
	@echo "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench: release
	Benchmarks/authenticated "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-http2: release
	Benchmarks/http2 "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-revocations: release
	Benchmarks/revocations "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-refresh: release
	Benchmarks/refresh "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

bench-sign-ins: release
	loadtest/sign_ins.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

screenshots: setup
	$(SWIFT) build --product gatehouse
	scripts/screenshots "$$($(SWIFT) build --show-bin-path)/gatehouse" docs/images

soak: release
	loadtest/soak.py "$$($(SWIFT) build $(RELEASE_FLAGS) --show-bin-path)/gatehouse"

clean:
	$(SWIFT) package clean
