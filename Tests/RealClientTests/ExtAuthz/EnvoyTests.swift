import Testing
import Verification

extension RealClients {
    /// A real Envoy asks, and forwards what may pass.
    @Suite struct EnvoyTests {
        @Test func backendSeesWhoItIsAndNothingThatAClientSaysOfIt() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let answer = try await envoy.get(
                        "/open/seen?a=1",
                        [
                            "-H", "Authorization: Bearer \(try fixture.token(role: nil))", "-H", "X-User-Id: root",
                            "-H", "X-User-Id: again", "-H", "x-user-role: admin", "-H", "X_User_Id: root",
                            "-H", "X-Verified-Subject: root", "-H", "X-Client-Certificate-Subject: CN=root",
                            "-H", "X-Other: kept",
                        ]
                    )
                    #expect(answer.status == "200")
                    let seen = try Self.seen(answer)
                    #expect(seen["target"]?.string == "/open/seen?a=1")
                    #expect(seen.received("x-user-id") == ["alice"])
                    #expect(seen.received("x-other") == ["kept"])
                    let gone = [
                        "x-user-role", "x_user_id", "x-verified-subject", "x-client-certificate-subject",
                        "authorization",
                    ]
                    for name in gone { #expect(seen.received(name) == [], "\(name)") }
                }
            }
        }

        @Test func tokenIsTakenOffWhereverItCame() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let token = try fixture.token()
                    let cookie = try await envoy.get("/open/seen", ["-H", "Cookie: a=1; session=\(token); b=2"])
                    #expect(cookie.status == "200")
                    #expect(try Self.seen(cookie).received("cookie") == ["a=1; b=2"])
                    let alone = try await envoy.get("/open/seen", ["-H", "Cookie: session=\(token)"])
                    #expect(try Self.seen(alone).received("cookie") == [])
                    let query = try await envoy.get("/open/seen?a=1&access_token=\(token)&b=2")
                    #expect(query.status == "200")
                    #expect(try Self.seen(query)["target"]?.string == "/open/seen?a=1&b=2")
                    #expect(try Self.seen(query).received("x-user-id") == ["alice"])
                }
            }
        }

        @Test func refusalsReachTheClientAsTheyWereWritten() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let missing = try await envoy.get("/open/seen")
                    #expect(missing.status == "401")
                    #expect(missing.head.contains("\nwww-authenticate: bearer realm=\"app\"\n"))
                    #expect(missing.head.contains("\ncontent-type: application/problem+json\n"))
                    #expect(missing.head.contains("\ncache-control: no-store\n"))
                    #expect(try jsonLine(missing.body)["code"] == "missing_token")
                    let bearer = ["-H", "Authorization: Bearer \(try fixture.token())"]
                    let admin = try await envoy.get("/admin/x", bearer)
                    #expect(admin.status == "403")
                    #expect(try jsonLine(admin.body)["code"] == "insufficient_role")
                    let other = try await envoy.get("/", host: "other.test", bearer)
                    #expect(other.status == "404")
                    let forged = try fixture.token(secret: "a-secret-of-somebody-else-who-is-not-believed-0123")
                    #expect(try await envoy.get("/", ["-H", "Authorization: Bearer \(forged)"]).status == "401")
                }
            }
        }

        @Test func openPathsPassWithoutAnIdentity() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    #expect(try await envoy.get("/open/anyone", ["-H", "X-User-Id: root"]).body == "ok")
                    // Dot segments are gone before anybody is asked.
                    #expect(try await envoy.get("/open/../admin/x").status == "401")
                }
            }
        }

        @Test func twoTokensInOnePlaceAreRefused() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let fields = [
                        "-H", "Authorization: Bearer \(try fixture.token())", "-H",
                        "Authorization: Bearer \(try fixture.token(role: "admin"))",
                    ]
                    let answer = try await envoy.get("/open/seen", fields)
                    // Envoy may have made one of them.
                    #expect(["400", "401"].contains(answer.status))
                }
            }
        }

        @Test func nobodyPassesWhenTheGatewayIsClosed() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let bearer = ["-H", "Authorization: Bearer \(try fixture.token())"]
                    #expect(try await envoy.get("/open/seen", bearer).status == "200")
                    try await fixture.shutdown()
                    #expect(try await envoy.get("/open/seen", bearer).status == "503")
                }
            }
        }

        @Test func envoyThatIsNotTrustedLetsNobodyPass() async throws {
            try await withExtAuthzGateway(trusting: "10.0.0.0/8") { fixture async throws in
                try await withRealEnvoy(fixture) { envoy async throws in
                    let bearer = ["-H", "Authorization: Bearer \(try fixture.token())"]
                    #expect(try await envoy.get("/open/seen", bearer).status == "503")
                }
            }
        }

        /// What the backend saw.
        private static func seen(_ answer: RealEnvoy.Answer) throws -> JSONObject { try jsonLine(answer.body) }
    }
}
