import Counting
import Tenants

extension Metric {
    /// In the order of the output.
    static let all: [Metric] = ofRequests + ofServers + ofSharedState + ofProcess

    // These have a series only for what has happened.
    static let requests = Metric(
        "gatehouse_requests_total",
        .counter,
        "Requests that got a response.",
        labels: ["tenant", "method", "status"]
    ) { reading in
        let tenants = reading.labels
        var samples: [Sample] = []
        reading.counters.forEachRequestCount { tenant, method, status, count in
            samples.append(Sample([tenants[tenant], method.label, "\(status)"], count))
        }
        return samples
    }
    static let decisions = Metric(
        "gatehouse_auth_decisions_total",
        .counter,
        "Decisions on requests; in observe mode those that would have been made.",
        labels: ["tenant", "outcome"]
    ) { $0.byOutcome($0.counters.decisions) }
    static let wouldRefuse = Metric(
        "gatehouse_would_refuse_total",
        .counter,
        "Refusals in observe mode: the requests were forwarded.",
        labels: ["tenant", "code"]
    ) { $0.byOutcome($0.counters.wouldRefuse) }
    /// The results of refreshes, and of the requests that waited for them.
    static let refreshes = Metric(
        "gatehouse_refresh_total",
        .counter,
        "Refreshes of sessions, and their effects on requests.",
        labels: ["tenant", "outcome"]
    ) { reading in
        let events = RefreshNote.Event.allCases
        return reading.tenants.enumerated().flatMap { index, tenant in
            var counts = reading.shared.refreshes[TenantIndex(index)] ?? [:]
            for event in events where event.isOfRequest {
                counts[event.rawValue] = reading.counters.refreshes[index * events.count + event.index]
            }
            return counts.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { Sample([tenant, $0.key], $0.value) }
        }
    }
    static let rateLimited = Metric(
        "gatehouse_rate_limited_total",
        .counter,
        "Requests over a rate limit; `observe` means that they were forwarded.",
        labels: ["tenant", "limit", "mode"]
    ) { reading in
        reading.shared.limits.map { Sample([reading.tenants[$0.tenant], $0.limit, $0.mode.rawValue], $0.count) }
    }
    static let serverRequests = Metric(
        "gatehouse_backend_requests_total",
        .counter,
        "Requests to servers, by outcome.",
        labels: ["tenant", "backend", "server", "outcome"]
    ) { reading in
        reading.backends.flatMap { backend in
            backend.counts.byOutcome.map { Sample([backend.tenant, backend.backend, backend.server, $0], $1) }
        }
    }

    private static let ofRequests = [
        requests, decisions, wouldRefuse,
        Metric(
            "gatehouse_request_duration_seconds",
            .histogram,
            "Time from the request's head to the end of its response.",
            labels: ["tenant"]
        ) { $0.byTenant($0.counters.durations) },
        Metric(
            "gatehouse_gateway_overhead_seconds",
            .histogram,
            "Time from the request's head until it was sent to the backend.",
            labels: ["tenant"]
        ) { $0.byTenant($0.counters.overheads) },
        Metric(
            "gatehouse_loop_stall_seconds",
            .histogram,
            "Work on one request or tick that blocked an event loop for more than 5 ms."
        ) { .histogram($0.counters.stalls) },
        refreshes,
        Metric(
            "gatehouse_sign_ins_total",
            .counter,
            "Sign-ins by an identity provider, of apps and in browsers, by outcome.",
            labels: ["tenant", "provider", "outcome"]
        ) { reading in
            reading.shared.signIns.signIns.map { labels, count in
                Sample([labels.tenant, labels.provider.rawValue, labels.outcome.rawValue], count)
            }.sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_refresh_token_reuses_total",
            .counter,
            "Refresh tokens of the built-in issuer that were used again late, by outcome.",
            labels: ["tenant", "outcome"]
        ) { reading in
            reading.shared.refreshReuses.map { Sample([$0.tenant, $0.outcome.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_adopted_sessions_total",
            .counter,
            "Tokens of former issuers that were to be exchanged for sessions of the built-in issuer, by outcome.",
            labels: ["tenant", "issuer", "outcome"]
        ) { reading in
            reading.shared.adoptions.map { Sample([$0.tenant, $0.issuer, $0.outcome.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_legacy_sign_ins_total",
            .counter,
            "Sign-in requests without proof of identity, by outcome.",
            labels: ["tenant", "decision"]
        ) { reading in
            reading.shared.signIns.legacy.map { Sample([$0.tenant, $0.decision.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_signals_total",
            .counter,
            "Logout tokens and security events that were received, by event and result.",
            labels: ["tenant", "event", "result"]
        ) { reading in
            reading.shared.signIns.signals.map { Sample([$0.tenant, $0.event.label, $0.result.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_passkeys_total",
            .counter,
            "Passkeys that were added, removed, have signed in, or were refused.",
            labels: ["tenant", "event"]
        ) { reading in
            reading.shared.signIns.passkeys.map { Sample([$0.tenant, $0.event.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_single_sign_ons_total",
            .counter,
            "Sessions of browsers at the built-in issuer that were begun, used or continued for a client, or ended.",
            labels: ["tenant", "event"]
        ) { reading in
            reading.shared.signIns.singleSignOns.map { Sample([$0.tenant, $0.event.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        Metric(
            "gatehouse_deletions_pending",
            .gauge,
            "Deletions of accounts in the store that are not done, at most 1000; counted every 15 seconds.",
            labels: []
        ) { reading in reading.shared.deletions.map { [Sample([], $0.pending)] } ?? [] },
        Metric(
            "gatehouse_deletion_steps_total",
            .counter,
            "Attempts at steps of deletions of accounts.",
            labels: ["tenant", "step", "result"]
        ) { reading in
            (reading.shared.deletions?.steps ?? [:])
                .map { Sample([$0.tenant, $0.step.rawValue, $0.outcome.rawValue], $1) }
                .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        eventsSent,
        eventsPending,
        eventsOldest,
        rateLimited,
        Metric(
            "gatehouse_mirror_dropped_total",
            .counter,
            "Requests whose copy for a mirror was dropped, because its body is too long or too many are under way.",
            labels: ["tenant"]
        ) { reading in
            zip(reading.tenants, reading.counters.droppedMirrors).filter { $1 > 0 }.map { Sample([$0], $1) }
        },
        Metric(
            "gatehouse_stale_tokens_total",
            .counter,
            "Requests with a stale token before the one that counted, as in a header beside a good cookie.",
            labels: ["tenant"]
        ) { reading in
            zip(reading.tenants, reading.counters.staleTokens).filter { $1 > 0 }.map { Sample([$0], $1) }
        },
        Metric(
            "gatehouse_app_version_requests_total",
            .counter,
            "Requests by what they say of their app's version, for tenants with app_version.",
            labels: ["tenant", "version"]
        ) { reading in
            let versions = AppVersionCount.allCases
            return reading.tenants.enumerated().flatMap { index, tenant in
                versions.map { ($0, reading.counters.appVersions[index * versions.count + $0.index]) }
                    .filter { $1 > 0 }.map { Sample([tenant, $0.rawValue], $1) }
            }
        },
        Metric(
            "gatehouse_token_cache_total",
            .counter,
            "Token verifications, by result.",
            labels: ["result"]
        ) { reading in
            let counts = reading.counters.tokenCache
            return [("hit", counts.hits), ("miss", counts.misses), ("refused", counts.refusedHits)]
                .map { Sample([$0], $1) }
        },
    ]

    private static let ofServers = [
        Metric("gatehouse_connections", .gauge, "Client connections.", labels: ["state"]) { reading in
            [Sample(["open"], reading.counters.openConnections)]
        },
        Metric(
            "gatehouse_internal_errors_total",
            .counter,
            "Connections closed because an internal consistency check failed.",
            labels: ["place"]
        ) { reading in
            InternalErrorSite.allCases.map { Sample([$0.rawValue], reading.counters.internalErrors[$0.index]) }
        },
        Metric(
            "gatehouse_client_backlog_bytes",
            .gauge,
            "Bytes of responses that clients have not read yet."
        ) { .of($0.counters.clientBacklog) },
        serverRequests,
        Metric(
            "gatehouse_backend_healthy",
            .gauge,
            "Whether requests are sent to a server; 0 if an event loop sends none.",
            labels: ["tenant", "backend", "server"]
        ) { reading in
            reading.backends.map { Sample([$0.tenant, $0.backend, $0.server], $0.isHealthy ? 1 : 0) }
        },
    ]

    private static let ofSharedState = [
        Metric(
            "gatehouse_store_up",
            .gauge,
            "Whether the store was reachable when it was last used."
        ) { .of($0.shared.storeIsUp ? 1 : 0) },
        Metric(
            "gatehouse_stored_tenants",
            .gauge,
            "Tenants of the store, by whether they are in force here.",
            labels: ["state"]
        ) { reading in
            guard let tenants = reading.shared.storedTenants else { return [] }
            return [Sample(["in_force"], tenants.inForce), Sample(["faulty"], tenants.faulty)]
        },
        Metric("gatehouse_revocations", .gauge, "Revocations in force.", labels: ["tenant"]) { reading in
            reading.tenants.map { Sample([$0], reading.shared.revocations[$0] ?? 0) }
        },
        Metric(
            "gatehouse_revocation_staleness_seconds",
            .gauge,
            "Time since the store was last known to have no newer revocation; +Inf before the first load."
        ) { .measure($0.shared.staleness ?? .infinity) },
        Metric(
            "gatehouse_key_set_age_seconds",
            .gauge,
            "Time since a key set was last fetched, or found unchanged.",
            labels: ["key_set"]
        ) { reading in
            guard !reading.shared.keySets.isEmpty else { return nil }
            // Sets whose addresses differ only in the query, or that have different lifetimes, share a label. A scraper
            // rejects two samples of one series, so the oldest stands for all.
            let ages = reading.shared.keySets.compactMap { keySet in keySet.age.map { (keySet.label, $0) } }
            let oldest = Dictionary(ages, uniquingKeysWith: max).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            return oldest.prefix(reading.mostKeySets).sorted { $0.key < $1.key }
                .map { Sample([$0.key], .measure($0.value)) }
        },
    ]

    private static let ofProcess = [
        Metric(
            "gatehouse_config_generation",
            .gauge,
            "Number of the configuration in force; each applied reload adds one."
        ) { .of($0.configuration.generation) },
        Metric(
            "gatehouse_config_reload_total",
            .counter,
            "Reloads of the configuration, by result.",
            labels: ["result"]
        ) { reading in
            let reloads = reading.configuration.reloads
            return [Sample(["success"], reloads.successes), Sample(["failure"], reloads.failures)]
        },
        Metric(
            "gatehouse_config_last_reload_successful",
            .gauge,
            "Whether the configuration was usable when it was last read; 0 while an older one stays in force."
        ) { .of($0.configuration.reloads.isLastInForce ? 1 : 0) },
        Metric(
            "gatehouse_access_log_lost_bytes_total",
            .counter,
            "Access-log lines lost to a slow destination."
        ) { .of($0.lostLogBytes) },
        Metric(
            "gatehouse_log_lost_lines_total",
            .counter,
            "Lines of the log lost to a slow reader of standard error."
        ) { .of($0.lostLogLines) },
        Metric(
            "gatehouse_traces_sent_total",
            .counter,
            "Traces that the collector has accepted."
        ) { .of($0.shared.traces?.sent ?? 0) },
        Metric(
            "gatehouse_traces_dropped_total",
            .counter,
            "Traces that were lost: the queue was full, or the collector did not accept them."
        ) { .of($0.shared.traces?.dropped ?? 0) },
        // The usual names of Prometheus libraries.
        Metric(
            "process_cpu_seconds_total",
            .counter,
            "User and system time spent."
        ) { $0.process.map { .measure($0.cpuSeconds) } },
        Metric(
            "process_resident_memory_bytes",
            .gauge,
            "Memory that is in use."
        ) { $0.process.map { .of($0.residentBytes) } },
        Metric("process_open_fds", .gauge, "Open files and sockets.") { $0.process.map { .of($0.openFiles) } },
        Metric("process_max_fds", .gauge, "How many may be open.") { reading in
            reading.process.map { $0.maximumFiles.map(Value.of) ?? .measure(.infinity) }
        },
        Metric(
            "process_start_time_seconds",
            .gauge,
            "When the process was started, in Unix seconds."
        ) { $0.process.map { .measure($0.startedAt.seconds) } },
    ]
}

extension Metric.Value {
    fileprivate static func of(_ count: some BinaryInteger) -> Metric.Value { .count(UInt64(clamping: count)) }
}

extension MetricsReading {
    fileprivate func byTenant(_ histograms: [Histogram]) -> [Metric.Sample] {
        // A tenant without requests has no series: thousands of zeros say nothing.
        zip(labels, histograms).filter { !$1.isEmpty }.map { Metric.Sample([$0], .histogram($1)) }
    }

    /// Counts by tenant and outcome.
    fileprivate func byOutcome(_ counts: [UInt64]) -> [Metric.Sample] {
        let tenants = labels
        return counts.enumerated().filter { $0.element > 0 }.map { index, count in
            let outcome = Outcome.allLabels[index % Counters.outcomeCount]
            return Metric.Sample([tenants[index / Counters.outcomeCount], outcome], count)
        }
    }
}
