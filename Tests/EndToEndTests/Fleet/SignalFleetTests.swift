import NIOCore
import TestSupport
import Testing
import Verification

/// A logout token or a security event that one instance takes is in force at all.
@Suite(.serialized) struct SignalFleetTests {
    private static let signals = 40
    private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
    private static let sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

    private static func logoutToken(_ fleet: Instances, session: String) throws -> String {
        try fleet.issuer.token(
            [
                "jti": .string("logout-\(session)"), "sid": .string(session),
                "events": .object([logoutEvent: [:]]),
            ],
            algorithm: .es256,
            header: ["typ": "logout+jwt"]
        )
    }

    private static func event(_ fleet: Instances, subject: String) throws -> String {
        try fleet.issuer.token(
            [
                "jti": .string("event-\(subject)"), "exp": .null, "sub": .null,
                "sub_id": ["format": "iss_sub", "iss": .string(TestIssuer.name), "sub": .string(subject)],
                "events": .object([sessionRevoked: [:]]),
            ],
            algorithm: .es256,
            header: ["typ": "secevent+jwt"]
        )
    }

    private static func logOut(_ token: String, at instance: Instance) async throws -> RawResponse {
        try await instance.post(
            "/.gatehouse/backchannel-logout",
            "logout_token=\(token)",
            type: "application/x-www-form-urlencoded"
        )
    }

    private static func push(_ token: String, at instance: Instance) async throws -> RawResponse {
        try await instance.post("/.gatehouse/signals", token, type: "application/secevent+jwt")
    }

    @Test func signalOfOneInstanceIsInForceAtAll() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                var all: [Instance] = []
                for _ in 0..<3 { all.append(try await fleet.start(server.url)) }
                let bystander = try fleet.token(["sub": "bystander", "sid": "other"], algorithm: .es256)
                var delays: [Double] = []
                for number in 0..<Self.signals {
                    let name = "signal-\(number)"
                    let token = try fleet.token(
                        ["sub": .string(name), "sid": .string(name), "iat": TestIssuer.fromNow(-5)],
                        algorithm: .es256
                    )
                    for instance in all { #expect(try await !instance.refuses(token)) }
                    let target = all[number % all.count]
                    let start = NIODeadline.now()
                    if number.isMultiple(of: 2) {
                        #expect(
                            try await Self.logOut(try Self.logoutToken(fleet, session: name), at: target).status == 200
                        )
                    } else {
                        #expect(try await Self.push(try Self.event(fleet, subject: name), at: target).status == 202)
                    }
                    #expect(try await target.refuses(token), "what was acknowledged is in force at once")
                    for instance in all { try await instance.awaitRefusal(of: token) }
                    delays.append(Double((NIODeadline.now() - start).nanoseconds) / 1e6)
                }
                for instance in all { #expect(try await !instance.refuses(bystander)) }
                delays.sort()
                let p99 = delays[min(delays.count - 1, delays.count * 99 / 100)]
                print("signals in force at 3 instances: median \(delays[delays.count / 2]) ms, p99 \(p99) ms")
                try await fleet.expectNoTokens(in: server)
            }
        }
    }

    @Test func logoutTokenWorksOnceWhicheverInstanceGetsIt() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let token = try Self.logoutToken(fleet, session: "s1")
                #expect(try await Self.logOut(token, at: first).status == 200)
                #expect(try await Self.logOut(token, at: second).status == 400)
                // A transmitter repeats what it got no answer for.
                let event = try Self.event(fleet, subject: "alice")
                for instance in [first, second] { #expect(try await Self.push(event, at: instance).status == 202) }
            }
        }
    }

    @Test func signalIsNotAcknowledgedWithoutTheStore() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let instance = try await fleet.start(server.url)
                let (logout, event) = (
                    try Self.logoutToken(fleet, session: "s1"), try Self.event(fleet, subject: "alice")
                )
                server.process.pause()
                #expect(try await Self.logOut(logout, at: instance).status == 503)
                let response = try await Self.push(event, at: instance)
                #expect(response.status == 503)
                #expect(response.fields["Retry-After"] == ["5"])
                server.process.resume()
                try await until("the store is back") { try await Self.push(event, at: instance).status == 202 }
            }
        }
    }

    @Test func hostileSignalsAreRefused() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let instance = try await fleet.start(server.url)
                let issuer = fleet.issuer
                let stranger = try issuer.token(
                    ["jti": "j", "events": .object([Self.logoutEvent: [:]])],
                    algorithm: .rs256,
                    key: issuer.stranger
                )
                let access = try issuer.token(["jti": "j2"], algorithm: .es256)
                for token in [stranger, access, "x.y.z", String(repeating: "a", count: 20_000)] {
                    #expect(try await Self.logOut(token, at: instance).status == 400)
                    #expect(try await Self.push(token, at: instance).status == 400)
                }
                let huge = String(repeating: "a", count: 70_000)
                #expect(try await Self.push(huge, at: instance).status == 413)
            }
        }
    }
}
