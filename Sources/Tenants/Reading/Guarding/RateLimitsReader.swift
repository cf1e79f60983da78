import ConfigurationText

/// Reads `rate_limits`.
enum RateLimitsReader {
    /// Maximum burst where `burst` is omitted: a rate of many requests an hour need not allow all of them at once.
    private static let maximumImpliedBurst = 1000
    /// Requests a second: intervals are counted in microseconds, and must be exact to a few hundredths.
    private static let maximumPerSecond = 100_000
    /// Seconds until a whole burst is available again.
    private static let maximumRecovery = 86_400

    static func read(_ items: [DocumentNode], _ session: ReadingSession) -> [RateLimit] {
        items.compactMap { readLimit($0, session) }
    }

    private static func readLimit(_ node: DocumentNode, _ session: ReadingSession) -> RateLimit? {
        let key = node[Schema.rateLimit.by].flatMap { readKey($0, session) }
        let rate = node[Schema.rateLimit.rate].flatMap { readRate($0, session) }
        let path = PathReader.read(Schema.rateLimit.path, in: node, session)
        guard let key, let rate, path != nil || node[Schema.rateLimit.path] == nil else { return nil }
        let burst = node.read(Schema.rateLimit.burst) ?? min(rate.count, maximumImpliedBurst)
        let limit = RateLimit(
            key: key,
            count: rate.count,
            period: .seconds(rate.seconds),
            burst: burst,
            path: path,
            isShared: node.read(Schema.rateLimit.shared),
            ahead: node.read(Schema.rateLimit.ahead),
            mode: node.read(Schema.rateLimit.mode),
            line: node.position.sourceLine
        )
        check(limit, seconds: rate.seconds, node, session)
        return limit
    }

    private static func readKey(_ node: DocumentNode, _ session: ReadingSession) -> RateLimit.Key? {
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
        return session.at(node)
            .refuse("\(scalar.shown) is not a key to count requests by: write ip, subject, tenant or claim:NAME")
    }

    private static func readRate(_ node: DocumentNode, _ session: ReadingSession) -> (count: Int, seconds: Int)? {
        guard let scalar = node.scalar else { return nil }
        let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1, "m": 60, "h": 3600]
        guard parts.count == 2, let seconds = units[String(parts[1])], let count = number(parts[0]), count > 0 else {
            return session.at(node).refuse(
                "\(scalar.shown) is no rate: write a number of requests in a second, minute or hour, like 20/s, 600/m "
                    + "or 1000/h"
            )
        }
        guard count <= maximumPerSecond * seconds else {
            return session.at(node).refuse(
                "\(scalar.shown) is more than \(maximumPerSecond) requests a second: write less"
            )
        }
        return (count, seconds)
    }

    private static func number(_ text: Substring) -> Int? {
        (1...12).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    private static func check(_ limit: RateLimit, seconds: Int, _ node: DocumentNode, _ session: ReadingSession) {
        // A burst that overflows was reported as out of range.
        let (product, isTooMuch) = limit.burst.multipliedReportingOverflow(by: seconds)
        if !isTooMuch, product > maximumRecovery * limit.count,
            let value = node[Schema.rateLimit.burst] ?? node[Schema.rateLimit.rate]
        {
            session.at(value).error(
                "a burst of \(limit.burst) takes more than 24 hours to come back at this rate: write a smaller "
                    + "\"burst\""
            )
        }
        guard let ahead = node.entry(Schema.rateLimit.ahead) else { return }
        if !limit.isShared {
            session.at(ahead).error(
                "\"ahead\" without \"shared: true\": this instance counts alone; add the one, or leave out the other"
            )
        } else if limit.ahead > limit.burst {
            session.at(ahead.value)
                .error("\"ahead\" is \(limit.ahead), more than the burst of \(limit.burst): write at most that")
        }
    }
}
