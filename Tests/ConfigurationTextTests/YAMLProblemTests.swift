import Testing

@testable import ConfigurationText

struct YAMLProblemTests {
    private func message(_ yaml: String) throws -> String? {
        let findings = Findings(file: "f")
        #expect(YAMLDocument.read(yaml, environment: [:], into: findings) == nil)
        return findings.sorted.first?.message
    }

    @Test(arguments: [
        ("a: 'b", "the quote in line 1 is not closed"), ("a:\n\tb: 1", "a tab: indent with spaces"),
        ("a: `b`", "\"`\" cannot begin a text without quotes"), ("a: & b", "\"&\" without quotes stands for something"),
        ("a: [1", "the bracket in line 1 is not closed"),
    ])
    func usualMistakesAreToldInPlainWords(_ yaml: String, _ text: String) throws {
        let message = try message(yaml)
        #expect(message?.hasPrefix("not valid YAML: \(text)") == true, "\(message ?? "")")
    }

    @Test func otherMistakesAreToldInTheWordsOfTheParser() throws {
        let message = try message("a: > b")
        #expect(message?.contains("did not find expected comment or line break: check indentation") == true)
    }
}
