import SharedState
import Time
import Verification

extension GatewayReport {
    var json: JSONObject {
        [
            "generation": .count(generation),
            "loaded_at": .time(loadedAt),
            "started_at": .time(startedAt),
            "version": .string(version),
            "now": .time(now),
            "reload": reload.map { JSONValue.object($0.json) } ?? .null,
            "store": ["up": .bool(storeIsUp), "staleness_seconds": .decimals(staleness)],
            "connections": ["open": .number(JSONNumber(openConnections))],
            "token_cache": [
                "hit": .count(tokenCache.hits),
                "miss": .count(tokenCache.misses),
                "refused": .count(tokenCache.refusedHits),
            ],
            "tenants": .array(tenants.map { .object($0.json) }),
        ]
    }
}

extension GatewayReport.Reload {
    var json: JSONObject {
        ["result": .string(result.rawValue), "at": .time(at), "mistakes": .array(mistakes.map(JSONValue.string))]
    }
}

extension TenantReport {
    var json: JSONObject {
        var requests = JSONObject()
        for (status, count) in requestsByStatus.sorted(by: { $0.key < $1.key }) {
            requests["\(status)"] = .count(count)
        }
        var object: JSONObject = [
            "name": .string(name),
            "hosts": .array(hosts.map(JSONValue.string)),
            "path_prefix": pathPrefix.map(JSONValue.string) ?? .null,
            "mode": .string(mode),
        ]
        object["requests"] = [
            "total": .count(requestsByStatus.values.reduce(0, +)), "by_status": .object(requests),
        ]
        object["decisions"] = .counts(decisions)
        object["would_refuse"] = .counts(wouldRefuse)
        object["latency"] = .object(latency.json)
        object["overhead"] = .object(overhead.json)
        object["refreshes"] = .counts(refreshes)
        object["rate_limited"] = .counts(rateLimited)
        object["revocations"] = revocations.map { JSONValue.number(JSONNumber($0)) } ?? .null
        object["has_issuer"] = .bool(hasIssuer)
        object["servers"] = .array(servers.map { .object($0.json) })
        object["key_sets"] = .array(keySets.map { .object($0.json) })
        return object
    }
}

extension TenantReport.Server {
    var json: JSONObject { ["url": .string(url), "healthy": .bool(isHealthy), "requests": .counts(requests)] }
}

extension LatencyReport {
    var json: JSONObject {
        [
            "p50_ms": .decimals(median),
            "p90_ms": .decimals(percentile90),
            "p99_ms": .decimals(percentile99),
            "count": .count(count),
            "buckets": .array(buckets.map { [.decimals($0.from), .decimals($0.to), .count($0.count)] }),
        ]
    }
}

extension KeySetStatus {
    var json: JSONObject {
        [
            "label": .string(label),
            "keys": .number(JSONNumber(numberOfKeys)),
            "age_seconds": .decimals(ageSeconds),
            "stale": .bool(isStale),
            "error": lastError.map(JSONValue.string) ?? .null,
        ]
    }
}

extension JSONValue {
    fileprivate static func count(_ count: UInt64) -> JSONValue { .number(JSONNumber(Int(clamping: count))) }

    fileprivate static func time(_ unixTime: UnixTime) -> JSONValue { .string(HTTPDate.rfc3339(unixTime)) }

    /// Sorted by name. What has not happened is not there.
    fileprivate static func counts(_ counts: [String: UInt64]) -> JSONValue {
        var object = JSONObject()
        for (name, number) in counts.sorted(by: { $0.key < $1.key }) where number > 0 { object[name] = count(number) }
        return .object(object)
    }

    /// With three decimals at most; null for nil.
    fileprivate static func decimals(_ value: Double?) -> JSONValue {
        value.flatMap { JSONNumber(($0 * 1000).rounded() / 1000) }.map(JSONValue.number) ?? .null
    }
}
