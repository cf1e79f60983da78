package import ConfigurationText
import HTTPCore
import IdentityProvider
import NIOCore
package import Tenants
import Time

/// A tenant's rate limits on one event loop. The counts themselves are the process's.
///
/// All limits that apply to a request count it. The first one that it exceeds refuses it, and then none of those
/// checked at the same point counts it. Before authentication these are the limits by address and for the whole tenant:
/// they count every request, with a valid token or not, even if it is refused later. After authentication the limits by
/// subject and by claim follow, for callers.
package final class TenantLimits {
    package struct Finding {
        package var refusal: Refusal
        /// Whether the limit is only observed.
        package var isObserved: Bool
        package var line: SourceLine
    }

    /// A limit with the subject it counts for.
    private struct LimitCheck {
        let rule: LimitRule
        let key: LimitKey
        let subject: LimitSubject
    }

    private let before: [LimitRule]
    private let after: [LimitRule]
    private let limiter: RateLimiter
    private let unreported: UnreportedRequests
    private let trustedProxies: [AddressRange]
    /// The limits that have counted the request so far. Empty between requests.
    private var taken: [(check: LimitCheck, isReserved: Bool)] = []

    /// - Returns: Nil for a tenant without limits.
    package init?(
        tenant: TenantIndex,
        _ limiter: RateLimiter,
        _ unreported: UnreportedRequests,
        trustedProxies: [AddressRange]
    ) {
        let rules = limiter.rules[tenant]
        guard !rules.isEmpty else { return nil }
        before = rules.filter(\.limit.key.isBeforeAuthentication)
        after = rules.filter { !$0.limit.key.isBeforeAuthentication }
        self.limiter = limiter
        self.unreported = unreported
        self.trustedProxies = trustedProxies
        taken.reserveCapacity(rules.count)
    }

    /// Counts the request against the limits by address and for the whole tenant.
    ///
    /// - Returns: The limit that it exceeds; nil if it is within all.
    func exceeded(
        beforeAuthentication request: CanonicalRequest,
        _ endpoints: EndpointTable,
        _ bytes: Span<UInt8>,
        _ decisionContext: DecisionContext,
        at now: UnixTime
    ) -> Finding? {
        guard !before.isEmpty else { return nil }
        let now = Allowance.microseconds(now)
        var findings = Findings()
        var client: LimitSubject?
        for rule in before where applies(rule, request, endpoints, bytes, decisionContext) {
            let check: LimitCheck
            if let key = rule.wholeTenant {
                check = LimitCheck(rule: rule, key: key, subject: .tenant)
            } else {
                client = client ?? self.client(request.head, bytes, decisionContext.peer)
                guard let client else {
                    decisionContext.explanation?.note(
                        .limit,
                        "\(rule.name): no address is known",
                        line: rule.limit.line
                    )
                    continue
                }
                check = LimitCheck(rule: rule, key: LimitKey(client, salt: rule.salt), subject: client)
            }
            if !count(check, decisionContext, at: now, &findings) { break }
        }
        return finish(findings)
    }

    /// Counts the request against the limits by subject and by claim, once: a request may be decided on again, when its
    /// token was refreshed after the backend's 401.
    ///
    /// - Returns: The limit that it exceeds; nil if it is within all.
    func exceeded(
        by caller: Caller,
        _ request: CanonicalRequest,
        _ endpoints: EndpointTable,
        _ bytes: Span<UInt8>,
        _ decisionContext: DecisionContext,
        at now: UnixTime
    ) -> Finding? {
        guard !after.isEmpty, !decisionContext.hasCountedCaller else { return nil }
        decisionContext.hasCountedCaller = true
        let now = Allowance.microseconds(now)
        let subjects = limitSubjects(of: caller)
        var findings = Findings()
        for (index, rule) in after.enumerated() where applies(rule, request, endpoints, bytes, decisionContext) {
            guard let key = subjects[index] else {
                decisionContext.explanation?.note(.limit, "\(rule.name): the caller has none", line: rule.limit.line)
                continue
            }
            let check = LimitCheck(rule: rule, key: key.key, subject: key.subject)
            if !count(check, decisionContext, at: now, &findings) { break }
        }
        return finish(findings)
    }

    // MARK: One limit

    private struct Findings {
        var enforced: Finding?
        var observed: Finding?
    }

    private func applies(
        _ rule: LimitRule,
        _ request: CanonicalRequest,
        _ endpoints: EndpointTable,
        _ bytes: Span<UInt8>,
        _ decisionContext: DecisionContext
    ) -> Bool {
        guard let path = rule.limit.path else { return true }
        if request.inAnyReading(bytes, { Self.applies(path, to: $0, endpoints) }) { return true }
        decisionContext.explanation?.note(.limit, "\(rule.name): not for this path", line: rule.limit.line)
        return false
    }

    /// A limit also covers other spellings under which its path is served, or a client would evade it: endpoints accept
    /// a trailing slash, some ignore case, and many backends ignore the slash.
    private static func applies(_ pattern: PathPattern, to path: Span<UInt8>, _ endpoints: EndpointTable) -> Bool {
        if pattern.matches(path) { return true }
        let last = path.count - 1
        if last > 0, path[last] == UInt8(ascii: "/"), pattern.matches(path.extracting(0..<last)) { return true }
        guard let configured = endpoints.configuredPath(of: path) else { return false }
        return pattern.matches(configured.span)
    }

    /// - Returns: Whether to check further limits.
    private func count(
        _ check: LimitCheck,
        _ decisionContext: DecisionContext,
        at now: UInt64,
        _ findings: inout Findings
    ) -> Bool {
        let rule = check.rule
        let isReserved = rule.isShared && !limiter.isAlone.load(ordering: .relaxed)
        let taking: ArrivalTable.Taking
        if decisionContext.source.isRehearsal {
            let arrival = rule.allowance.bearing(limiter.table.arrival(check.key), at: now)
            let wait = rule.allowance.wait(arrival, at: now)
            taking = wait == 0 ? .taken : .refused(wait: wait)
        } else {
            taking = limiter.table.take(check.key, rule.allowance, isReserved: isReserved, at: now)
        }
        if let explanation = decisionContext.explanation { explain(check, taking, to: explanation, at: now) }
        guard case .refused(let wait) = taking else {
            if !decisionContext.source.isRehearsal { taken.append((check, isReserved)) }
            return true
        }
        if !decisionContext.source.isRehearsal { rule.countExceeded() }
        let finding = Finding(refusal: rule.refusal(wait: wait), isObserved: rule.isObserved, line: rule.limit.line)
        if rule.isObserved {
            findings.observed = findings.observed ?? finding
            return true
        }
        findings.enforced = finding
        return false
    }

    private func finish(_ findings: Findings) -> Finding? {
        if findings.enforced == nil {
            for (check, isReserved) in taken where isReserved {
                unreported.note(UnsettledRequest(rule: check.rule, key: check.key, name: check.subject.name))
            }
        } else {
            for (check, isReserved) in taken {
                limiter.table.giveBack(check.key, check.rule.allowance, isReserved: isReserved)
            }
        }
        taken.removeAll(keepingCapacity: true)
        return findings.enforced ?? findings.observed
    }

    private func explain(
        _ check: LimitCheck,
        _ taking: ArrivalTable.Taking,
        to explanation: Explanation,
        at now: UInt64
    ) {
        let rule = check.rule
        switch taking {
        case .taken:
            let arrival = rule.allowance.bearing(limiter.table.arrival(check.key), at: now)
            let left = rule.allowance.remaining(arrival, at: now)
            explanation.note(.limit, "\(rule.name): \(left) of \(rule.limit.burst) left", line: rule.limit.line)
        case .refused(let wait):
            let seconds = max(1, (wait + 999_999) / 1_000_000)
            explanation.note(.limit, "\(rule.name): none left for \(seconds) s", line: rule.limit.line)
        }
    }

    // MARK: Subjects

    private func client(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer?) -> LimitSubject? {
        guard let peer else { return nil }
        guard peer.isTrustedProxy,
            let text = ClientAddress.read(head, bytes, trustedProxies: trustedProxies),
            let address = IPAddress(String(decoding: text, as: UTF8.self))
        else { return peer.limitSubject }
        return LimitSubject(address)
    }

    /// By limit index: nil if the caller has no such claim, and is not limited by it.
    private func limitSubjects(of caller: Caller) -> [CallerLimitSubject?] {
        if let known = caller.limitSubjects { return known }
        let principal = caller.principal
        let subjects = after.map { rule -> CallerLimitSubject? in
            let text: String? =
                switch rule.limit.key {
                case .subject: principal.subject
                case .claim(let claim): principal.claimText(claim)
                case .address, .tenant: nil
                }
            guard let text, !text.isEmpty else { return nil }
            let subject = LimitSubject(text, of: principal.issuer)
            return CallerLimitSubject(subject: subject, key: LimitKey(subject, salt: rule.salt))
        }
        caller.limitSubjects = subjects
        return subjects
    }
}
