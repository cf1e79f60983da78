import Counting
import Tenants

/// The counters in Prometheus' text format 0.0.4, or as OpenMetrics 1.0.0.
struct MetricsText {
    private(set) var text = ""
    private let format: MetricsFormat

    /// - Parameters:
    ///   - tenants: Names, in the order of the configuration.
    ///   - configuration: What became of it.
    ///   - counters: Summed over all event loops.
    ///   - shared: What the instance knows of what it shares with others.
    ///   - lostLogBytes: Of the access log.
    ///   - lostLogLines: Of the other log.
    ///   - process: What the system says of the process.
    init(
        tenants: [String],
        configuration: ConfigurationCount,
        counters: Counters,
        backends: [BackendCount],
        shared: SharedCount,
        lostLogBytes: Int,
        lostLogLines: Int = 0,
        process: ProcessStatistics? = nil,
        format: MetricsFormat = .prometheus
    ) {
        self.format = format
        // An empty label is none (Prometheus data model), and no tenant has an empty name.
        let names = tenants + [""]
        requests(names, counters)
        decisions(names, counters)
        wouldRefuse(names, counters)
        histogram(
            "gatehouse_request_duration_seconds",
            "From the request's head to the end of its answer.",
            names,
            counters.durations
        )
        histogram(
            "gatehouse_gateway_overhead_seconds",
            "From the request's head until it left for the backend.",
            names,
            counters.overheads
        )
        histogram(
            "gatehouse_loop_stall_seconds",
            "Work on one request, or of one tick, that kept an event loop from all others for over 5 ms.",
            counters.stalls
        )
        refreshes(tenants, counters, shared)
        signIns(shared.signIns)
        limits(shared.limits, tenants)
        tokenCache(counters.tokenCache)
        head("gatehouse_connections", "gauge", "Client connections.")
        text += "gatehouse_connections{state=\"open\"} \(counters.openConnections)\n"
        head("gatehouse_internal_errors_total", "counter", "Connections given up by a check that must never fail.")
        for place in InternalErrorSite.allCases {
            let count = counters.internalErrors[place.index]
            text += "gatehouse_internal_errors_total{place=\"\(place.rawValue)\"} \(count)\n"
        }
        head("gatehouse_client_backlog_bytes", "gauge", "Bytes of answers that clients have not taken yet.")
        text += "gatehouse_client_backlog_bytes \(counters.clientBacklog)\n"
        self.backends(backends)
        health(backends)
        self.shared(shared, tenants)
        head("gatehouse_config_generation", "gauge", "Counts up with each configuration that comes into force.")
        text += "gatehouse_config_generation \(configuration.generation)\n"
        head("gatehouse_config_reload_total", "counter", "Configurations read anew, by what came of it.")
        text += "gatehouse_config_reload_total{result=\"success\"} \(configuration.reloads.successes)\n"
        text += "gatehouse_config_reload_total{result=\"failure\"} \(configuration.reloads.failures)\n"
        head("gatehouse_access_log_lost_bytes_total", "counter", "Access-log lines lost to a slow destination.")
        text += "gatehouse_access_log_lost_bytes_total \(lostLogBytes)\n"
        head("gatehouse_log_lost_lines_total", "counter", "Lines of the log lost to a slow reader of standard error.")
        text += "gatehouse_log_lost_lines_total \(lostLogLines)\n"
        traces(shared.traces)
        if let process { self.process(process) }
        if format == .openMetrics { text += "# EOF\n" }
    }

    /// In OpenMetrics a family of counters goes by its name without the samples' suffix.
    mutating func head(_ name: String, _ type: String, _ help: String) {
        let isSuffixed = format == .openMetrics && type == "counter" && name.hasSuffix("_total")
        let family = isSuffixed ? String(name.dropLast(6)) : name
        text += "# HELP \(family) \(help)\n# TYPE \(family) \(type)\n"
    }

    mutating func add(_ line: String) { text += line }

    private mutating func requests(_ names: [String], _ counters: Counters) {
        head("gatehouse_requests_total", "counter", "Requests answered.")
        counters.forEachRequestCount { tenant, method, status, count in
            text += "gatehouse_requests_total{tenant=\"\(names[tenant])\",method=\"\(method.label)\","
            text += "status=\"\(status)\"} \(count)\n"
        }
    }

    private mutating func decisions(_ names: [String], _ counters: Counters) {
        head(
            "gatehouse_auth_decisions_total",
            "counter",
            "Decisions on requests; in observe mode what they would have been."
        )
        for (place, count) in counters.decisions.enumerated() where count > 0 {
            let outcome = Outcome.allLabels[place % Counters.outcomeCount]
            let tenant = names[place / Counters.outcomeCount]
            text += "gatehouse_auth_decisions_total{tenant=\"\(tenant)\",outcome=\"\(outcome)\"} \(count)\n"
        }
    }

    private mutating func wouldRefuse(_ names: [String], _ counters: Counters) {
        head("gatehouse_would_refuse_total", "counter", "Refusals that were only observed: the requests went on.")
        for (place, count) in counters.wouldRefuse.enumerated() where count > 0 {
            let code = Outcome.allLabels[place % Counters.outcomeCount]
            let tenant = names[place / Counters.outcomeCount]
            text += "gatehouse_would_refuse_total{tenant=\"\(tenant)\",code=\"\(code)\"} \(count)\n"
        }
    }

    /// What the refreshes themselves came to, and what they did for the requests that wanted them.
    private mutating func refreshes(_ tenants: [String], _ counters: Counters, _ shared: SharedCount) {
        head("gatehouse_refresh_total", "counter", "Refreshes of sessions, and what they did for requests.")
        let events = RefreshNote.Event.allCases
        for (place, tenant) in tenants.enumerated() {
            var counts = shared.refreshes[TenantIndex(place)] ?? [:]
            for event in events where event.isOfRequest {
                counts[event.rawValue] = counters.refreshes[place * events.count + event.index]
            }
            for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
                text += "gatehouse_refresh_total{tenant=\"\(tenant)\",outcome=\"\(outcome)\"} \(count)\n"
            }
        }
    }

    private mutating func tokenCache(_ counts: TokenCacheCounts) {
        head("gatehouse_token_cache_total", "counter", "Tokens by how they were judged.")
        text += "gatehouse_token_cache_total{result=\"hit\"} \(counts.hits)\n"
        text += "gatehouse_token_cache_total{result=\"miss\"} \(counts.misses)\n"
        text += "gatehouse_token_cache_total{result=\"refused\"} \(counts.refusedHits)\n"
    }

    private mutating func histogram(_ name: String, _ help: String, _ names: [String], _ histograms: [Histogram]) {
        head(name, "histogram", help)
        for (tenant, histogram) in zip(names, histograms) {
            var total: UInt64 = 0
            for (bound, count) in zip(histogram.scale.seconds, histogram.counts) {
                total += count
                text += "\(name)_bucket{tenant=\"\(tenant)\",le=\"\(bound)\"} \(total)\n"
            }
            total += histogram.counts.last ?? 0
            text += "\(name)_bucket{tenant=\"\(tenant)\",le=\"+Inf\"} \(total)\n"
            text += "\(name)_sum{tenant=\"\(tenant)\"} \(Self.seconds(histogram.sum))\n"
            text += "\(name)_count{tenant=\"\(tenant)\"} \(total)\n"
        }
    }

    /// One without labels.
    private mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        head(name, "histogram", help)
        var total: UInt64 = 0
        for (bound, count) in zip(histogram.scale.seconds, histogram.counts) {
            total += count
            text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
        }
        total += histogram.counts.last ?? 0
        text += "\(name)_bucket{le=\"+Inf\"} \(total)\n"
        text += "\(name)_sum \(Self.seconds(histogram.sum))\n"
        text += "\(name)_count \(total)\n"
    }

    private mutating func backends(_ backends: [BackendCount]) {
        head("gatehouse_backend_requests_total", "counter", "Requests to servers by what became of them.")
        for backend in backends {
            let labels = "tenant=\"\(backend.tenant)\",server=\"\(Self.escaped(backend.server))\""
            let counts = backend.counts
            text += "gatehouse_backend_requests_total{\(labels),outcome=\"answered\"} \(counts.answers)\n"
            text += "gatehouse_backend_requests_total{\(labels),outcome=\"failed\"} \(counts.failures)\n"
            text += "gatehouse_backend_requests_total{\(labels),outcome=\"timeout\"} \(counts.timeouts)\n"
            text +=
                "gatehouse_backend_requests_total{\(labels),outcome=\"connect_failure\"} \(counts.connectFailures)\n"
        }
    }

    private mutating func health(_ backends: [BackendCount]) {
        head(
            "gatehouse_backend_healthy",
            "gauge",
            "Whether requests are sent to a server; 0 if an event loop sends none."
        )
        for backend in backends {
            let labels = "tenant=\"\(backend.tenant)\",server=\"\(Self.escaped(backend.server))\""
            text += "gatehouse_backend_healthy{\(labels)} \(backend.isHealthy ? 1 : 0)\n"
        }
    }

    private mutating func shared(_ shared: SharedCount, _ tenants: [String]) {
        head("gatehouse_store_up", "gauge", "Whether the store was reachable when it was last used.")
        text += "gatehouse_store_up \(shared.storeIsUp ? 1 : 0)\n"
        head("gatehouse_revocations", "gauge", "Revocations in force.")
        for tenant in tenants {
            text += "gatehouse_revocations{tenant=\"\(tenant)\"} \(shared.revocations[tenant] ?? 0)\n"
        }
        head(
            "gatehouse_revocation_staleness_seconds",
            "gauge",
            "Since the store was last known to have no newer revocation; +Inf before the first load."
        )
        text += "gatehouse_revocation_staleness_seconds \(shared.staleness.map { "\($0)" } ?? "+Inf")\n"
        keySets(shared)
    }

    private mutating func keySets(_ shared: SharedCount) {
        guard !shared.keySets.isEmpty else { return }
        head("gatehouse_key_set_age_seconds", "gauge", "Since a key set was last fetched, or found unchanged.")
        // Sets whose addresses differ in the query alone, or which are kept for different times, have one label. Of two
        // samples of one series a scraper takes neither, so the oldest speaks for all.
        var ages: [String: Double] = [:]
        for keySet in shared.keySets {
            guard let age = keySet.age else { continue }
            ages[keySet.label] = max(age, ages[keySet.label] ?? age)
        }
        for (label, age) in ages.sorted(by: { $0.key < $1.key }) {
            text += "gatehouse_key_set_age_seconds{key_set=\"\(Self.escaped(label))\"} \(age)\n"
        }
    }

    static func escaped(_ label: String) -> String {
        label.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        "\(Double(nanoseconds) / 1_000_000_000)"
    }
}
