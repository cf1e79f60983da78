import Tenants
import TestSupport
import Testing

@testable import AdminAPI

/// Bodies of the revocation API, and their errors.
struct RevocationRequestTests {
    private func read(_ body: String) throws(AdminProblem) -> RevocationRequest {
        try RevocationRequest(json: Array(body.utf8))
    }

    @Test(arguments: [
        (#"{"tenant":"app","token":"a.b.c"}"#, RevocationRequest.Selector.token(Secret("a.b.c"))),
        (#"{"tenant":"app","jti":"t1"}"#, .tokenID("t1")),
        (#"{"tenant":"app","subject":"alice"}"#, .subject("alice")),
        (#" {"session" : "s1", "tenant" : "app"} "#, .session("s1")),
        (#"{"tenant":"app","all":true}"#, .all),
        (#"{"tenant":"app","subject":"\u0000 ü"}"#, .subject("\u{0} ü")),
    ])
    func everySelectorIsRead(_ body: String, _ selector: RevocationRequest.Selector) throws {
        #expect(try read(body) == RevocationRequest(tenant: "app", selector: selector))
    }

    @Test(arguments: [
        ("30d", Duration.seconds(2_592_000)), ("1ms", .milliseconds(1)), ("3650d", .seconds(315_360_000)),
    ])
    func durationsAreThoseOfTheConfiguration(_ text: String, _ duration: Duration) throws {
        #expect(try read(#"{"tenant":"app","all":true,"for":"\#(text)"}"#).lifetime == duration)
    }

    @Test func reasonsAreTextForPeople() throws {
        let reason = String(repeating: "ü", count: 200)
        #expect(try read(#"{"tenant":"app","all":true,"reason":"\#(reason)"}"#).reason == reason)
        #expect(try read(#"{"tenant":"app","all":true,"reason":""}"#).reason == "")
    }

    @Test func longestIDIsAccepted() throws {
        let id = String(repeating: "x", count: 1024)
        #expect(try read(#"{"tenant":"app","jti":"\#(id)"}"#).selector == .tokenID(id))
    }

    private static let selectors = "give exactly one of token, jti, subject, session and all; "
    private static let mistakes: [(String, String)] = [
        ("", "the body is not valid JSON: look at byte 1"),
        ("{", "the body is not valid JSON: look at byte 2"),
        (#"{"tenant":"app","all":true} x"#, "the body is not valid JSON: look at byte 29"),
        (#"{"tenant":"app","all":true,"all":true}"#, "the body is not valid JSON: a member is there twice"),
        (#"{"tenant":"app","jti":"\ud800"}"#, "the body is not valid JSON: a string is not Unicode"),
        ("[]", "the body must be a JSON object"),
        ("null", "the body must be a JSON object"),
        (
            #"{"tenant":"app","sub":"alice"}"#,
            "the body has an unknown member; "
                + "known members are tenant, token, jti, subject, session, all, for and reason"
        ),
        (#"{"all":true}"#, "\"tenant\" is missing"),
        (#"{"tenant":1,"all":true}"#, "\"tenant\" must be a string"),
        (#"{"tenant":"","all":true}"#, "\"tenant\" is empty"),
        (#"{"tenant":"app"}"#, selectors + "none is given"),
        (#"{"tenant":"app","reason":"x"}"#, selectors + "none is given"),
        (#"{"tenant":"app","all":true,"jti":"x"}"#, selectors + "jti and all are given"),
        (#"{"tenant":"app","all":true,"session":"x","token":"y"}"#, selectors + "token, session and all are given"),
        (#"{"tenant":"app","jti":"x","subject":null}"#, selectors + "jti and subject are given"),
        (#"{"tenant":"app","all":false}"#, "\"all\" must be true"),
        (#"{"tenant":"app","all":"true"}"#, "\"all\" must be true"),
        (#"{"tenant":"app","all":1}"#, "\"all\" must be true"),
        (#"{"tenant":"app","token":""}"#, "\"token\" must be a compact token"),
        (#"{"tenant":"app","token":null}"#, "\"token\" must be a compact token"),
        (#"{"tenant":"app","jti":""}"#, "\"jti\" is empty"),
        (#"{"tenant":"app","jti":7}"#, "\"jti\" must be a string"),
        (#"{"tenant":"app","session":["s"]}"#, "\"session\" must be a string"),
        (#"{"tenant":"app","subject":""}"#, "\"subject\" is empty"),
        (
            #"{"tenant":"app","subject":"\#(String(repeating: "ü", count: 513))"}"#,
            "\"subject\" is longer than 1024 bytes"
        ),
        (#"{"tenant":"app","all":true,"for":30}"#, "\"for\" must be a string like \"30d\""),
        (#"{"tenant":"app","all":true,"for":null}"#, "\"for\" must be a string like \"30d\""),
        (#"{"tenant":"app","all":true,"for":"30"}"#, "\"for\" is no duration: add a unit: ms, s, m, h or d"),
        (#"{"tenant":"app","all":true,"for":""}"#, "\"for\" is no duration: write a number and a unit, like 30s"),
        (#"{"tenant":"app","all":true,"for":"-1d"}"#, "\"for\" is no duration: a duration cannot be negative"),
        (
            #"{"tenant":"app","all":true,"for":"0s"}"#,
            "\"for\" must be more than 0 and at most 3650d; leave it out to revoke for good"
        ),
        (
            #"{"tenant":"app","all":true,"for":"315360001s"}"#,
            "\"for\" must be more than 0 and at most 3650d; leave it out to revoke for good"
        ),
        (#"{"tenant":"app","all":true,"reason":null}"#, "\"reason\" must be a string"),
        (
            #"{"tenant":"app","all":true,"reason":"\#(String(repeating: "x", count: 201))"}"#,
            "\"reason\" is longer than 200 characters"
        ),
        (#"{"tenant":"app","all":true,"reason":"a\nb"}"#, "\"reason\" has control characters"),
        (#"{"tenant":"app","all":true,"reason":"a\u0085b"}"#, "\"reason\" has control characters"),
        (#"{"tenant":"app","all":true,"reason":"\u001b[2J"}"#, "\"reason\" has control characters"),
    ]

    @Test(arguments: mistakes)
    func everyMistakeIsReported(_ body: String, _ detail: String) {
        #expect(throws: AdminProblem.badRequest(detail)) { try read(body) }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        let body = Array(#"{"tenant":"app","jti":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: AdminProblem.badRequest("the body is not valid JSON: a string is not Unicode")) {
            try RevocationRequest(json: body)
        }
    }

    /// A token in a wrong member must be neither in the response nor in a log.
    @Test func errorsRepeatNothingOfTheBody() throws {
        let body = Array(#"{"tenant":"needle","jti":"needle","for":"needle","reason":"needle","needle":1}"#.utf8)
        var random = SplitMix64(seed: 11)
        var refused = 0
        for _ in 0..<20_000 {
            do {
                _ = try RevocationRequest(json: random.mutated(body))
            } catch {
                refused += 1
                #expect(error.code == .badRequest)
                #expect(!error.detail.contains("needle"))
            }
        }
        #expect(refused > 19_000)
    }
}
