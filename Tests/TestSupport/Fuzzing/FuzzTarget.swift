/// A parser or decoder that takes bytes from outside, with the rules that hold for any bytes.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    package let name: String
    /// Well-formed inputs, which the others are made from.
    package let seeds: [[UInt8]]
    /// Inputs that once broke a rule. They are checked first, every time.
    package let findings: [[UInt8]]
    /// Pieces of the format's grammar, put into inputs as they are.
    package let words: [[UInt8]]
    /// How many inputs a run of the ordinary tests makes.
    package let quickInputs: Int
    /// Checks one input. Returns whether the code under test accepted it. Throws ``FuzzFailure`` for a broken rule.
    package let check: @Sendable ([UInt8]) throws -> Bool

    package init(
        _ name: String,
        seeds: [[UInt8]],
        findings: [[UInt8]] = [],
        words: [String] = [],
        quickInputs: Int = 2000,
        check: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.name = name
        self.seeds = seeds
        self.findings = findings
        self.words = words.map { Array($0.utf8) }
        self.quickInputs = quickInputs
        self.check = check
    }

    package init(
        _ name: String,
        texts: [String],
        findings: [[UInt8]] = [],
        words: [String] = [],
        quickInputs: Int = 2000,
        check: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.init(
            name,
            seeds: texts.map { Array($0.utf8) },
            findings: findings,
            words: words,
            quickInputs: quickInputs,
            check: check
        )
    }

    package var description: String { name }
}

/// A rule that an input broke.
package struct FuzzFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Throws ``FuzzFailure`` unless the condition holds.
package func hold(_ condition: Bool, _ rule: @autoclosure () -> String) throws {
    guard condition else { throw FuzzFailure(rule()) }
}
