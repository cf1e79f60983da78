import Time
import Verification

/// In the store.
extension Deletion {
    private static let version = 1.0

    var json: [UInt8] {
        var object: JSONObject = [
            "v": 1,
            "id": .string(id),
            "tenant": .string(tenant),
            "scope": .string(scope),
            "sub": .string(subject),
            "created": .time(createdAt),
        ]
        var states = JSONObject()
        for step in Step.allCases {
            if let state = steps[step] { states[step.rawValue] = .object(state.json) }
        }
        object["steps"] = .object(states)
        if let claim { object["claim"] = ["holder": .string(claim.holder), "until": .time(claim.until)] }
        if let endedAt { object["ended"] = .time(endedAt) }
        if reopenings > 0 { object["reopenings"] = .number(JSONNumber(reopenings)) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let id = object["id"]?.string, let tenant = object["tenant"]?.string,
            let scope = object["scope"]?.string, let subject = object["sub"]?.string,
            let createdAt = object["created"]?.time, let states = object["steps"]?.object
        else { return nil }
        var steps: [Step: State] = [:]
        for step in Step.allCases {
            guard let state = states[step.rawValue]?.object.flatMap(State.init) else { return nil }
            steps[step] = state
        }
        var claim: Claim?
        if let value = object["claim"] {
            guard let holder = value.object?["holder"]?.string, let until = value.object?["until"]?.time else {
                return nil
            }
            claim = Claim(holder: holder, until: until)
        }
        var endedAt: UnixTime?
        if let value = object["ended"] {
            guard let time = value.time else { return nil }
            endedAt = time
        }
        var reopenings = 0
        if let value = object["reopenings"] {
            guard let count = value.double.flatMap({ Int(exactly: $0) }), count >= 0 else { return nil }
            reopenings = count
        }
        self.init(
            id: id,
            tenant: tenant,
            scope: scope,
            subject: subject,
            createdAt: createdAt,
            steps: steps,
            claim: claim,
            endedAt: endedAt,
            reopenings: reopenings
        )
        // Whatever has no pending step has ended, and the other way round; a claim is on what has not.
        guard isPending == (endedAt == nil) || (claim != nil && endedAt == nil) else { return nil }
    }
}

extension Deletion.State {
    /// As in receipts.
    var name: String {
        switch self {
        case .pending: "pending"
        case .done: "done"
        case .nothingToDo: "nothing_to_do"
        }
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["state": .string(name)]
        switch self {
        case .pending(let attempts):
            object["attempts"] = .number(JSONNumber(attempts.count))
            object["next"] = .time(attempts.nextAt)
            if let failure = attempts.failure {
                object["failure"] = .string(failure.reason.rawValue)
                object["status"] = failure.status.map { .number(JSONNumber($0)) }
            }
        case .done(let time): object["at"] = .time(time)
        case .nothingToDo: break
        }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        switch object["state"]?.string {
        case "done"?:
            guard let time = object["at"]?.time else { return nil }
            self = .done(at: time)
        case "nothing_to_do"?: self = .nothingToDo
        case "pending"?:
            guard let count = object["attempts"]?.double.flatMap({ Int(exactly: $0) }), count >= 0,
                let nextAt = object["next"]?.time
            else { return nil }
            var attempts = Deletion.Attempts(count: count, nextAt: nextAt)
            if let value = object["failure"] {
                // A reason of a later version is none of ours; that it failed counts.
                let reason = value.string.flatMap(DeletionFailure.Reason.init) ?? .refused
                let status = object["status"]?.double.flatMap { Int(exactly: $0) }
                attempts.failure = DeletionFailure(reason, status: status)
            }
            self = .pending(attempts)
        default: return nil
        }
    }
}

// MARK: - For its owner

extension Deletion {
    /// What the account's owner is told: no subject and no tenant, since whoever has the ID may read it.
    var receipt: JSONObject {
        let steps = Step.allCases.compactMap { step in
            self.steps[step].map { state -> JSONValue in
                var object: JSONObject = ["step": .string(step.rawValue), "state": .string(state.name)]
                switch state {
                case .done(let time): object["done_at"] = .string(HTTPDate.rfc3339(time))
                case .pending(let attempts):
                    object["next_attempt_at"] = .string(HTTPDate.rfc3339(attempts.nextAt))
                case .nothingToDo: break
                }
                return .object(object)
            }
        }
        var object: JSONObject = [
            "id": .string(id),
            "created_at": .string(HTTPDate.rfc3339(createdAt)),
            "steps": .array(steps),
        ]
        if let endedAt { object["ended_at"] = .string(HTTPDate.rfc3339(endedAt)) }
        return object
    }
}
