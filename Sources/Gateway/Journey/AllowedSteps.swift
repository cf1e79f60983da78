/// The slow steps that a decision may still ask for: each is done once a request.
struct AllowedSteps: OptionSet {
    let rawValue: Int

    static let signature = AllowedSteps(rawValue: 1)
    static let keys = AllowedSteps(rawValue: 2)
    static let refresh = AllowedSteps(rawValue: 4)
    static let introspection = AllowedSteps(rawValue: 8)
    static let proof = AllowedSteps(rawValue: 16)
    static let all: AllowedSteps = [.signature, .keys, .refresh, .introspection, .proof]

    /// What is left after a step.
    func after(_ step: SlowStep) -> AllowedSteps { subtracting(AllowedSteps(step)) }
}

extension AllowedSteps {
    init(_ step: SlowStep) {
        self =
            switch step {
            case .signature: .signature
            case .keys: .keys
            case .refresh: .refresh
            case .introspection: .introspection
            case .proof: .proof
            }
    }
}
