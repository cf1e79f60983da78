import TestSupport
import Testing
import Time
import Verification

@testable import Signals

/// Each target briefly, from a fixed seed; `make fuzz` runs them for any time.
struct FuzzTests {
    @Test(arguments: [SignalFuzz.events, SignalFuzz.logout])
    func noInputBreaksTheRules(of target: FuzzTarget) {
        let run = FuzzRun(target)
        if let finding = run.finding { Issue.record("\(finding)") }
        #expect(run.isMeaningful, "\(run.accepted) of \(run.inputs) were accepted")
    }
}

/// The claims of tokens, as their senders may write them.
enum SignalFuzz {
    private static let words = [
        #""sub_id":"#, #""format":"complex","#, #""session":{"format":"opaque","id":"s"}"#, #""sub":"","#, "null", "[]",
        "{}", #""nonce":"n","#, #""toe":1e99,"#, #""event_timestamp":-1,"#, #""iat":0,"#, #""jti":"","#,
    ]

    static let events = FuzzTarget(
        "security-event",
        texts: [
            #"{"iss":"https://id.test","aud":"shop","jti":"j","iat":1799999990,"sub_id":{"format":"iss_sub","iss":"i","#
                + #""sub":"a"},"events":{"https://schemas.openid.net/secevent/caep/event-type/session-revoked":{}}}"#,
            #"{"iss":"https://id.test","aud":["shop"],"jti":"j","iat":1799999990,"toe":1799999000,"events":{"#
                + #""https://schemas.openid.net/secevent/risc/event-type/account-disabled":{"subject":{"subject_type":"#
                + #""iss-sub","iss":"i","sub":"a"},"event_timestamp":1799999000123}}}"#,
            #"{"iss":"https://id.test","aud":"shop","jti":"j","iat":1799999990,"sub":"a","events":{"x":{"subject":{"#
                + #""format":"aliases","identifiers":[{"format":"email","email":"a@b"},{"format":"account","uri":"acct:a"}]}}}}"#,
        ],
        words: words
    ) { bytes in
        guard let principal = principal(bytes, .securityEvent),
            let token = try? SecurityEventToken(principal, at: SignalSample.now)
        else { return false }
        try hold((1...SecurityEventToken.mostEvents).contains(token.events.count), "\(token.events.count) events")
        try hold(!token.tokenID.isEmpty, "a token without a name")
        for event in token.events {
            try hold(event.happenedAt <= SignalSample.now, "an event in the future")
            try hold(
                token.issuedAt - event.happenedAt <= EventTime.longestDelay,
                "an event long before its token"
            )
            let targets = event.subject?.targets(from: token.issuer) ?? []
            try hold(targets.count <= 2 * SubjectIdentifier.mostAliases * SubjectIdentifier.mostAliases, "many targets")
            try hold(Set(targets).count == targets.count, "a target twice")
        }
        return true
    }

    static let logout = FuzzTarget(
        "logout-token",
        texts: [
            #"{"iss":"https://id.test","aud":"shop","jti":"j","iat":1799999990,"exp":1800000100,"sub":"a","sid":"s","#
                + #""events":{"http://schemas.openid.net/event/backchannel-logout":{}}}"#
        ],
        words: words
    ) { bytes in
        guard let principal = principal(bytes, .logout),
            let token = try? LogoutToken(principal, at: SignalSample.now)
        else { return false }
        try hold(principal.claims["nonce"] == nil, "a token with a nonce")
        try hold(token.subject?.isEmpty == false || token.sessionID?.isEmpty == false, "a token about nobody")
        try hold(!token.tokenID.isEmpty, "a token without a name")
        return true
    }

    private static func principal(_ bytes: [UInt8], _ purpose: TokenPurpose) -> Principal? {
        guard let claims = (try? JSONParser.parse(bytes))?.object else { return nil }
        return try? SignalSample.principal(claims, as: purpose)
    }
}
