import Demo

/// The lines that lead to a refresh. Each, or each pair of them, has a separate session.
extension DemoTenant {
    private static let hour = 3600
    private static let day = 86_400

    func customerRefreshes() async throws -> [DemoLine] {
        let long = try await token(expiredFor: 8 * Self.day)
        return [
            line(
                401,
                "the backend says no to the new token too, and that is final",
                "/api/jobs?fail=401",
                ["-i"] + bearer(try await token()),
                fields: ["x-refreshed-token: "]
            )
        ]
            + stale("/api/jobs", bearer(try await token()), fields: ["x-refreshed-token: "])
            + stale(
                "/api/jobs",
                bearer(try await token()),
                body: ["-H", "Content-Type: application/json", "-d", "{\"move\": \"a piano\"}"],
                fields: ["x-refreshed-token: "],
                title: "a POST is made again with its body"
            )
            + [
                try await expired("/api/jobs"),
                line(401, "a token that expired longer ago than the 7 days of grace", "/api/jobs", bearer(long)),
            ]
    }

    func driverRefreshes() async throws -> [DemoLine] {
        let ended = bearer(try await token())
        return stale("/api/jobs", bearer(try await token()), fields: ["x-refreshed-token: "]) + [
            try await expired("/api/jobs"),
            line(200, "signs out at the backend", "/api/auth/logout", ["-X", "POST"] + ended),
            line(401, "a session that the backend has ended is not brought back", "/api/jobs", ["-i"] + ended),
        ]
    }

    func chatRefreshes() async throws -> [DemoLine] {
        let delivered = ["set-cookie: ce_access_token=ey", "set-cookie: ce_refresh_token="]
        let session = try await signIn(app, nil, Self.hour)
        let forged = SampleSession(accessToken: session.accessToken, refreshToken: "made-up")
        return stale("/api/messages", cookies(try await signIn(app, nil, nil)), fields: delivered) + [
            line(
                200,
                "an expired token is refreshed before the backend sees it",
                "/api/messages",
                ["-i"] + cookies(try await signIn(app, nil, Self.hour)),
                fields: delivered
            ),
            line(
                401,
                "a refresh token that somebody made up brings no new tokens, and signs nobody out",
                "/api/messages",
                ["-i"] + cookies(forged)
            ),
        ]
    }

    func clansRefreshes() async throws -> [DemoLine] {
        [
            line(
                401,
                "the backend says no to the new token too, and that is final",
                "/api/v1/clans?fail=401",
                ["-i"] + bearer(try await token()),
                fields: ["x-refreshed-token: "]
            )
        ] + stale("/api/v1/clans", bearer(try await token()), fields: ["x-refreshed-token: "])
    }

    /// Makes the backend treat a token as stale, and then uses it.
    private func stale(
        _ path: String,
        _ credentials: [String],
        body: [String] = [],
        fields: [String],
        title: String = "the gateway gets a new token, asks again with it, and gives it to the client"
    ) -> [DemoLine] {
        [
            line(
                200,
                "makes the backend respond 401 to this token from now on",
                "/sample/stale",
                ["-X", "POST"] + credentials
            ),
            line(200, title, path, ["-i"] + credentials + body, fields: fields),
        ]
    }

    private func expired(_ path: String) async throws -> DemoLine {
        line(
            200,
            "an expired token is refreshed before the backend sees it",
            path,
            ["-i"] + bearer(try await token(expiredFor: Self.hour)),
            fields: ["x-refreshed-token: "]
        )
    }

    private func token(expiredFor seconds: Int? = nil) async throws -> String {
        try await signIn(app, nil, seconds).accessToken
    }

    private func cookies(_ session: SampleSession) -> [String] {
        ["-b", "ce_access_token=\(session.accessToken); ce_refresh_token=\(session.refreshToken ?? "")"]
    }
}
