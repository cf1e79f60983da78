extension Schema {
    static let route = RouteKeys()
    static let routeCondition = RouteConditionKeys()
    static let routeShare = RouteShareKeys()
    static let routeRedirect = RouteRedirectKeys()
    static let routeResponse = RouteResponseKeys()
    static let routeMirror = RouteMirrorKeys()
    static let routeTimeouts = RouteTimeoutsKeys()
    static let routeLimits = RouteLimitsKeys()
    static let routeWebSocket = RouteWebSocketKeys()

    struct RouteKeys: KeyTable {
        let path = Key("path", .text(example: "/api/**"), isRequired: true)
            .means(
                "The path as clients send it, `path_prefix` included. `*` stands for one segment, `/**` at the end for the "
                    + "path itself and all below it."
            )
        let methods = Key("methods", .list(.text(example: "GET"), minimum: 1))
            .means("The methods that the route is for. Omitted: every method.")
        let when = Key("when", .object(Schema.routeCondition)).means("What else a request must have.")
        let backend = Key("backend", .text(example: "api")).means("The backend that the requests go to.")
        let split = Key("split", .list(.object(Schema.routeShare), minimum: 1))
            .means(
                "Several backends that share the requests.",
                example: "[{ backend: default, weight: 95 }, { backend: next, weight: 5 }]"
            )
        let sticky = Key("sticky", .choice(RouteForwarding.Sticky.self), default: .subject)
            .means(
                "Whose requests stay together in a split, at every instance: those of a caller, of a session, or none. "
                    + "Without a caller the client's address counts."
            )
            .onlyIfGiven()
        let redirect = Key("redirect", .object(Schema.routeRedirect)).means("Where the client is sent instead.")
        let respond = Key("respond", .object(Schema.routeResponse)).means("What the gateway answers by itself.")
            .onlyIfGiven()
        let rewrite = Key("rewrite", .text(example: "/v2/**"))
            .means(
                "The path that the backend sees, in place of `strip_prefix`. A `*` stands for what the path's `*` matched, "
                    + "`/**` at the end for the rest."
            )
        let mirror = Key("mirror", .object(Schema.routeMirror))
            .means("A copy of some requests, whose answer is dropped.")
        let timeouts = Key("timeouts", .object(Schema.routeTimeouts)).means("Instead of the backend's.")
        let retries = Key("retries", .object(Schema.retries)).means("Instead of the backend's.").onlyIfGiven()
        let limits = Key("limits", .object(Schema.routeLimits))
            .means("Instead of the tenant's, each key that is given.")
        let websocket = Key("websocket", .object(Schema.routeWebSocket)).means("Instead of the tenant's.")
    }

    struct RouteConditionKeys: KeyTable {
        let header = Key("header", .dictionary(key: "HEADER", .text(example: "value"), minimum: 1), isRequired: true)
            .means(
                "Fields that a request must have, with the whole value; `\"*\"` is any value. All must be there.",
                example: "{ X-Beta: \"1\" }"
            )
    }

    struct RouteShareKeys: KeyTable {
        let backend = Key("backend", .text(example: "api"), isRequired: true).means("Its name.")
        let weight = Key("weight", .integer(1...10_000), isRequired: true)
            .means("Its share, beside the weights of the others.", example: "95")
    }

    struct RouteRedirectKeys: KeyTable {
        let to = Key("to", .text(example: "/new/**"), isRequired: true)
            .means(
                "A path, or a URL of another site, with `*` and `/**` as in `rewrite`. The query is kept."
            )
        let status = Key("status", .integer(301...308), default: 308).means(
            "301, 302, 303, 307 or 308.",
            example: "302"
        )
    }

    struct RouteResponseKeys: KeyTable {
        let status = Key("status", .integer(200...599), default: 200).means("The status.", example: "410")
        let body = Key("body", .text(example: "gone")).means("The body, at most 64 KiB. Omitted: none.")
        let contentType = Key("content_type", .text(example: "text/plain"), default: "text/plain; charset=utf-8")
            .means("Its media type.", example: "text/html")
    }

    struct RouteMirrorKeys: KeyTable {
        let backend = Key("backend", .text(example: "next"), isRequired: true).means("The backend that gets the copy.")
        let percent = Key("percent", .decimal(0.001...100), default: 100)
            .means("How many of a hundred requests are copied.", example: "1")
    }

    struct RouteTimeoutsKeys: KeyTable {
        let response = Key("response", .duration(timeout))
            .means("From the end of the request to the first byte of the answer.", example: "2s")
    }

    struct RouteLimitsKeys: KeyTable {
        let bodyBytes = Key("body_bytes", .size(0...(1 << 50), example: "1MiB"))
            .means("Longest request body; 413 above it.")
        let bodyRate = Key("body_rate", .rate(1...(1 << 30), example: "4KiB/s"))
            .means("Least average rate of a body after its first 10 s; `0`: none.")
        let replayBytes = Key("replay_bytes", .size(0...(16 << 20), example: "256KiB"))
            .means("Longest body that is kept for a replay after a refresh, or for a mirror.")
    }

    struct RouteWebSocketKeys: KeyTable {
        let onExpiry = Key("on_expiry", .choice(WebSocketRules.OnExpiry.self))
            .means("What happens when the token expires.", example: "keep")
    }
}
