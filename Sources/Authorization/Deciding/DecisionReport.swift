import Counting
public import Verification

/// How a request would be decided, step by step.
public struct DecisionReport: Sendable, Equatable {
    /// The result of a decision in its two forms.
    public enum Decision: Sendable, Equatable, CustomStringConvertible {
        /// It goes on to the backend, or to one of the gateway's endpoints.
        case forward
        /// The gateway answers as its route says.
        case answer(status: Int)
        case refuse(status: Int, code: String)

        public var description: String {
            switch self {
            case .forward: "forward"
            case .answer(let status): "answer \(status)"
            case .refuse(let status, let code): "refuse \(status) \(code)"
            }
        }
    }

    public struct Step: Sendable, Equatable {
        /// The part of the decision: `route`, `verify`, `authorize`…; `decision` for the last.
        public var step: String
        /// Never contains a token, a cookie's value or a secret.
        public var text: String
        public var line: Int?
        /// The file of the line; nil: tenants.yaml.
        public var file: String?

        public init(step: String, text: String, line: Int? = nil, file: String? = nil) {
            self.step = step
            self.text = text
            self.line = line
            self.file = file
        }
    }

    /// The last step's text is the decision's.
    public package(set) var steps: [Step]
    public let decision: Decision
    /// The refusal in enforce mode, if it is only observed.
    public let observed: Decision?
    /// The name of the backend that the request would go to; nil if it goes to none.
    public let backend: String?
    /// Whether only the running gateway has the information needed to decide.
    public let isUncertain: Bool

    /// For `POST /api/explain`.
    public var json: JSONObject {
        var object: JSONObject = [
            "steps": .array(
                steps.map { step in
                    var object: JSONObject = ["step": .string(step.step), "text": .string(step.text)]
                    object["line"] = step.line.map { .number(JSONNumber($0)) }
                    object["file"] = step.file.map(JSONValue.string)
                    return .object(object)
                }
            ),
            "decision": .string(decision.description),
        ]
        object["backend"] = backend.map(JSONValue.string)
        if case .answer(let status) = decision { object["status"] = .number(JSONNumber(status)) }
        if case .refuse(let status, let code) = decision {
            object["status"] = .number(JSONNumber(status))
            object["code"] = .string(code)
        }
        if case .refuse(let status, let code) = observed {
            object["observed"] = ["status": .number(JSONNumber(status)), "code": .string(code)]
        }
        return object
    }
}

extension DecisionReport {
    /// - Parameter backend: See ``backend``.
    package init(
        _ explanation: Explanation,
        _ decision: Decision,
        backend: String? = nil,
        observed: ObservedRefusal?
    ) {
        explanation.note(.decision, decision.description)
        steps = explanation.entries.map { entry in
            Step(step: entry.step.rawValue, text: entry.text, line: entry.line?.number, file: entry.line?.file)
        }
        self.decision = decision
        self.backend = backend
        self.observed = observed.map { .refuse(status: $0.refusal.status, code: $0.refusal.code.rawValue) }
        isUncertain =
            if explanation.isOffline, case .refuse(_, RefusalCode.storeUnavailable.rawValue) = decision { true } else {
                false
            }
    }
}
