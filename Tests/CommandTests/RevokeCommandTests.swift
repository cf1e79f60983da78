import ArgumentParser
import Testing
import Verification

@testable import gatehouse

/// `gatehouse revoke`: its arguments and what it prints.
struct RevokeCommandTests {
    @Test(arguments: [
        ["--token", "-"], ["--jti", "t1"], ["--subject", "alice"], ["--session", "s1"], ["--all"],
        ["--all", "--withdraw"], ["--all", "--for", "30d", "--reason", "left"], ["--jti", "a b"], ["--session=-s1"],
    ])
    func oneSelectorIsTaken(_ arguments: [String]) throws {
        #expect(try RevokeCommand.parse(["--tenant", "app"] + arguments).tenant == "app")
    }

    private static let mistakes: [([String], String)] = [
        ([], "give exactly one of --token -, --jti, --subject, --session and --all"),
        (["--jti", "t1", "--all"], "give exactly one of --token -, --jti, --subject, --session and --all"),
        (["--session", "a", "--subject", "b"], "give exactly one of --token -"),
        (["--token", "eyJhbGciOiJub25lIn0.e30."], "other users can see command lines"),
        (["--session", "--withdraw"], "Missing value for '--session <id>'"),
        (["--all", "--withdraw", "--for", "1d"], "leave it out with --withdraw"),
        (["--all", "--for", "1w"], "the units are ms, s, m, h and d: a minute is 1m, an hour 1h, a day 1d"),
        (["--all", "--admin", "127.0.0.1:9901"], "write an http or https URL"),
    ]

    @Test(arguments: mistakes)
    func invalidArgumentsAreBadUsage(_ arguments: [String], _ message: String) {
        do {
            _ = try RevokeCommand.parse(["--tenant", "app"] + arguments)
            Issue.record("was taken")
        } catch {
            #expect(RevokeCommand.exitCode(for: error) == .validationFailure)
            #expect(RevokeCommand.message(for: error).contains(message))
            #expect(!RevokeCommand.message(for: error).contains("eyJ"))
        }
    }

    @Test func tenantMustBeNamed() {
        #expect(throws: (any Error).self) { try RevokeCommand.parse(["--all"]) }
    }

    @Test(arguments: [
        ("http://127.0.0.1:9901", false), ("http://localhost:9901", false), ("http://[::1]:9901", false),
        ("https://ops.test", false), ("HTTPS://ops.test/gatehouse", false), ("http://ops.test:9901", true),
        ("http://10.0.0.7:9901", true), ("http://[2001:db8::1]:9901", true), ("http://127.0.0.1.ops.test", true),
    ])
    func plainHTTPIsOpenToOthersBeyondThisMachine(_ text: String, _ isOpen: Bool) throws {
        let url = try AdminURL(text)
        #expect(url.isOpenToOthers == isOpen)
        #expect(url.description == text)
    }

    @Test func slashAtTheEndIsNotDoubled() throws {
        #expect(try AdminURL("https://ops.test/gatehouse/").description == "https://ops.test/gatehouse")
    }

    @Test(arguments: [
        "", "127.0.0.1", "ftp://ops.test", "http://", "http:ops.test", "http://user@ops.test",
        "http://user:word@ops.test", "http://ops.test/?token=x", "http://ops.test/#x", "http://ops test",
    ])
    func otherURLsAreRefused(_ text: String) {
        #expect(throws: ValidationError.self) { try AdminURL(text) }
    }

    private static let lines: [(String, String)] = [
        (
            #"{"tenant":"app","kind":"jti","id":"t1","issuer":"https://id.test","expires_at":"2027-01-15"}"#,
            "tenant app, token t1 of https://id.test, until 2027-01-15"
        ),
        (
            #"{"tenant":"app","kind":"token","expires_at":null}"#,
            "tenant app, one token, by its content, until it is withdrawn"
        ),
        (#"{"tenant":"app","kind":"session","id":"s1"}"#, "tenant app, session s1"),
        (
            #"{"tenant":"app","kind":"subject","id":"al\u001b[2Jice\u202e","revoked_at":"T","expires_at":null}"#,
            "tenant app, subject al\u{FFFD}[2Jice\u{FFFD}, tokens issued before T, until it is withdrawn"
        ),
        (
            #"{"tenant":"app","kind":"subject","id":"a","revoked_at":"T","accepted_from":"U","expires_at":null}"#,
            "tenant app, subject a, tokens issued before U, the second of the revocation included, until it is withdrawn"
        ),
        (
            #"{"tenant":"app","kind":"all","revoked_at":"T","expires_at":null}"#,
            "tenant app, all tokens issued before T, until it is withdrawn"
        ),
        (
            #"{"tenant":"app","kind":"restored","revoked_at":"T","expires_at":null}"#,
            "tenant app, a revocation known only by its digest, until it is withdrawn"
        ),
        (#"{"tenant":"app","kind":"flock","id":"x"}"#, "tenant app, flock x"),
        (#"{}"#, "tenant ?, ? ?"),
    ]

    @Test(arguments: lines)
    func revocationsAreOneLineEach(_ json: String, _ line: String) throws {
        let object = try #require(try JSONParser.parse(Array(json.utf8)).object)
        #expect(RevocationLine.text(of: object) == line)
    }
}
