import Demo
import Verification

extension TrialRunner {
    /// More than `burst` in the example's `rate_limits`.
    private static let requests = 60
    /// A machine may be so slow that one round stays within the rate.
    private static let mostRounds = 4
    /// How often the explanation of a refusal is asked for: the limit may let one more request through just then.
    private static let mostQuestions = 10

    func flood(_ client: TrialApp, _ events: TrialEvents) async throws {
        let session = try await session(of: client, valid: true, events)
        let request = client.call(session)
        let title = "\(Self.requests) calls at once"
        events.request(request, title: title, curl: client.curlToFlood(Self.requests))
        var statuses: [Int: Int] = [:]
        var refused: TrialResponse?
        for round in 1...Self.mostRounds where refused == nil {
            refused = try await send(request, total: round * Self.requests, &statuses, events)
        }
        guard let refused else {
            events.note("This machine was too slow to exceed the limit.")
            return
        }
        try await explainRefusal(of: request, client, events)
        events.response(refused)
        events.note("Retry-After says when there is room again; other callers are not affected.")
    }

    /// - Returns: One of the responses that a rate limit caused.
    private func send(
        _ request: TrialRequest,
        total: Int,
        _ statuses: inout [Int: Int],
        _ events: TrialEvents
    ) async throws -> TrialResponse? {
        var refused: TrialResponse?
        var counts = statuses
        let gateway = sessions.gateway
        try await withThrowingTaskGroup(of: TrialResponse.self) { group in
            for _ in 0..<Self.requests { group.addTask { try await TrialClient.send(request, to: gateway) } }
            var received = 0
            for try await response in group {
                received += 1
                counts[response.status, default: 0] += 1
                if response.status == 429 { refused = response }
                if received % 10 == 0 { events.count(counts, of: total) }
            }
        }
        statuses = counts
        return refused
    }

    private func explainRefusal(of request: TrialRequest, _ client: TrialApp, _ events: TrialEvents) async throws {
        for question in 1...Self.mostQuestions {
            let report = try await explanationDuringFlood(of: request, client)
            if report["status"]?.double == 429 || question == Self.mostQuestions {
                return events.decision(report)
            }
        }
    }

    /// While calls are refused: on a slow machine there is room again before another question is answered.
    private func explanationDuringFlood(of request: TrialRequest, _ client: TrialApp) async throws -> JSONObject {
        let gateway = sessions.gateway
        return try await withThrowingTaskGroup(of: TrialResponse.self) { group in
            for _ in 0..<Self.requests { group.addTask { try await TrialClient.send(request, to: gateway) } }
            var report: JSONObject?
            for try await response in group where report == nil && response.status == 429 {
                report = try await admin.explain(request, of: client.app.rawValue)
            }
            if let report { return report }
            return try await admin.explain(request, of: client.app.rawValue)
        }
    }
}
