/// Reads `backend`.
enum BackendReader {
    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Backend {
        let servers = (node["servers"]?.items ?? []).compactMap { readServer($0, &session) }
        warnOfWeights(node["servers"], &session)
        checkBalance(node["balance"], &session)
        return Backend(servers: servers, timeouts: readTimeouts(node["timeouts"]), limits: readLimits(node["limits"]))
    }

    private static func readServer(_ node: DocumentNode, _ session: inout ReadingSession) -> BackendServer? {
        let url = node["url"] ?? node
        guard let scalar = url.scalar, !scalar.text.isEmpty else { return nil }
        do throws(ScalarText.Problem) {
            let (scheme, address) = try NetworkText.server(scalar.text)
            if scheme != .http {
                session.findings.notInEffect(url.place, "\(scheme.rawValue)", "no request is sent to this server")
            }
            return BackendServer(scheme: scheme, address: address, weight: node.integer("weight") ?? 1)
        } catch {
            session.findings.error(
                url.place,
                "a server must be like http://127.0.0.1:9001, but is \(scalar.shown): \(error.remedy)"
            )
            return nil
        }
    }

    private static func warnOfWeights(_ node: DocumentNode?, _ session: inout ReadingSession) {
        for item in node?.items ?? [] {
            guard let entry = item.entry("weight"), let weight = item.integer("weight"), weight != 1 else { continue }
            session.findings.notInEffect(entry.keyPlace, "\"weight\"", "servers take equal turns")
        }
    }

    private static func checkBalance(_ node: DocumentNode?, _ session: inout ReadingSession) {
        guard let node, let scalar = node.scalar, !scalar.text.isEmpty else { return }
        switch scalar.text {
        case "round_robin": return
        case "least_requests", "hash:subject":
            session.findings.notInEffect(node.place, "\"\(scalar.text)\"", "servers take turns")
        default:
            session.findings.error(
                node.place,
                "\"balance\" must be round_robin, least_requests or hash:subject, but is \(scalar.shown): choose one"
            )
        }
    }

    private static func readTimeouts(_ node: DocumentNode?) -> BackendTimeouts {
        var timeouts = BackendTimeouts()
        timeouts.connect = node?.duration("connect") ?? timeouts.connect
        timeouts.response = node?.duration("response") ?? timeouts.response
        timeouts.idle = node?.duration("idle") ?? timeouts.idle
        return timeouts
    }

    private static func readLimits(_ node: DocumentNode?) -> BackendLimits {
        var limits = BackendLimits()
        limits.connections = node?.integer("connections") ?? limits.connections
        limits.pending = node?.integer("pending") ?? limits.pending
        return limits
    }
}
