/// Reads `rate_limits`.
enum RateLimitsReader {
    /// The number of a rate is its burst too, up to this: a limit of many requests an hour need not let all of them
    /// through at once.
    private static let mostImpliedBurst = 1000
    /// Requests a second: times are counted in microseconds, and these are to be exact to some hundredths.
    private static let fastest = 100_000
    /// Seconds that a whole burst may take to come back.
    private static let slowest = 86_400

    static func read(_ items: [DocumentNode], _ session: inout ReadingSession) -> [RateLimit] {
        items.compactMap { readLimit($0, &session) }
    }

    private static func readLimit(_ node: DocumentNode, _ session: inout ReadingSession) -> RateLimit? {
        let key = node[Schema.rateLimit.by].flatMap { readKey($0, &session) }
        let rate = node[Schema.rateLimit.rate].flatMap { readRate($0, &session) }
        let path = PathReader.read(Schema.rateLimit.path, in: node, &session)
        guard let key, let rate, path != nil || node[Schema.rateLimit.path] == nil else { return nil }
        let burst = node.read(Schema.rateLimit.burst) ?? min(rate.count, mostImpliedBurst)
        let limit = RateLimit(
            key: key,
            count: rate.count,
            period: .seconds(rate.seconds),
            burst: burst,
            path: path,
            isShared: node.read(Schema.rateLimit.shared),
            ahead: node.read(Schema.rateLimit.ahead),
            mode: node.read(Schema.rateLimit.mode),
            line: node.place.line
        )
        check(limit, seconds: rate.seconds, node, &session)
        return limit
    }

    private static func readKey(_ node: DocumentNode, _ session: inout ReadingSession) -> RateLimit.Key? {
        guard let scalar = node.scalar else { return nil }
        switch scalar.text {
        case "ip": return .address
        case "subject": return .subject
        case "tenant": return .tenant
        default: break
        }
        if scalar.text.hasPrefix("claim:"), scalar.text.utf8.count > 6 {
            return .claim(String(scalar.text.dropFirst(6)))
        }
        return session.refuse(
            node.place,
            "\(scalar.shown) is nothing that requests are counted by: write ip, subject, tenant or claim:NAME"
        )
    }

    private static func readRate(_ node: DocumentNode, _ session: inout ReadingSession) -> (count: Int, seconds: Int)? {
        guard let scalar = node.scalar else { return nil }
        let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1, "m": 60, "h": 3600]
        guard parts.count == 2, let seconds = units[String(parts[1])], let count = number(parts[0]), count > 0 else {
            return session.refuse(
                node.place,
                "\(scalar.shown) is no rate: write a number of requests in a second, minute or hour, like 20/s, 600/m "
                    + "or 1000/h"
            )
        }
        guard count <= fastest * seconds else {
            return session.refuse(
                node.place,
                "\(scalar.shown) is more than \(fastest) requests a second: write less, or leave the limit out"
            )
        }
        return (count, seconds)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(text)
    }

    private static func check(
        _ limit: RateLimit,
        seconds: Int,
        _ node: DocumentNode,
        _ session: inout ReadingSession
    ) {
        // What no number holds was reported as out of its range.
        let (product, isTooMuch) = limit.burst.multipliedReportingOverflow(by: seconds)
        if !isTooMuch, product > slowest * limit.count,
            let place = (node[Schema.rateLimit.burst] ?? node[Schema.rateLimit.rate])?.place
        {
            session.findings.error(
                place,
                "a burst of \(limit.burst) takes more than 24 hours to come back at this rate: write a smaller "
                    + "\"burst\""
            )
        }
        guard let ahead = node.entry(Schema.rateLimit.ahead) else { return }
        if !limit.isShared {
            session.findings.error(
                ahead.keyPlace,
                "\"ahead\" without \"shared: true\": this instance counts alone; add the one, or leave out the other"
            )
        } else if limit.ahead > limit.burst {
            session.findings.error(
                ahead.value.place,
                "\"ahead\" is \(limit.ahead), more than the burst of \(limit.burst): write at most that"
            )
        }
    }
}
