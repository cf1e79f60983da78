/// The slow steps that a decision may still request: each is taken at most once per request.
package struct AllowedSteps: OptionSet {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let signature = AllowedSteps(rawValue: 1)
    package static let keys = AllowedSteps(rawValue: 2)
    package static let refresh = AllowedSteps(rawValue: 4)
    package static let introspection = AllowedSteps(rawValue: 8)
    package static let proof = AllowedSteps(rawValue: 16)
    package static let all: AllowedSteps = [.signature, .keys, .refresh, .introspection, .proof]
}
