import Foundation
import Testing

@testable import IdentityProvider

/// docs/troubleshooting.md has each code of the error pages of browsers' sign-ins, with its status.
struct SignInErrorCodesTests {
    private static let problems: [SignInProblem] = [
        .unknownClient, .malformed, .methodNotAllowed(allowed: "GET"), .over, .otherBrowser, .foreignAfter,
        .notSignedIn,
        .otherRole("admin"), .refusedByHook(status: 403, message: ""), .refusedByHook(status: 409, message: ""),
        .refusedByHook(status: 422, message: ""), .notAllowed, .refusedAfterSignIn(.missing),
        .refusedAfterSignIn(.invalid), .refusedAfterSignIn(.expired), .refusedAfterSignIn(.revoked), .formNotSent,
        .tooMany(retryAfterSeconds: nil), .providerUnavailable("", retryAfterSeconds: nil),
        .unavailable(retryAfterSeconds: nil),
    ]

    /// A new case has no place here until it is added, here and above.
    private static func place(_ problem: SignInProblem) -> Int {
        switch problem {
        case .unknownClient: 0
        case .malformed: 1
        case .methodNotAllowed: 2
        case .over: 3
        case .otherBrowser: 4
        case .foreignAfter: 5
        case .notSignedIn: 6
        case .otherRole: 7
        case .refusedByHook: 8
        case .notAllowed: 9
        case .refusedAfterSignIn(let code):
            switch code {
            case .missing: 10
            case .invalid: 11
            case .expired: 12
            case .revoked: 13
            }
        case .formNotSent: 14
        case .tooMany: 15
        case .providerUnavailable: 16
        case .unavailable: 17
        }
    }

    @Test func everyCodeIsDocumented() throws {
        #expect(Set(Self.problems.map(Self.place)) == Set(0...17))
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/troubleshooting.md"), encoding: .utf8)
        let section = page.split(separator: "\n").drop { $0 != "## Pages of a sign-in in a browser" }
        let rows = section.filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        for row in rows { #expect(row.count == 4 && row[2].count > 20 && row[3].count > 20, "\(row)") }
        for problem in Self.problems {
            let row = rows.first { $0.first?.contains("`\(problem.code)`") == true }
            #expect(row?[1].contains("\(problem.status)") == true, "\(problem.code) \(problem.status)")
        }
        let codes = rows.flatMap { $0.first?.split(separator: ", ").map(String.init) ?? [] }
        #expect(Set(codes) == Set(Self.problems.map { "`\($0.code)`" }), "one is there that no page has")
    }
}
