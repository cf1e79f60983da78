import HTTPCore
import Tenants
import Verification

/// Requests with tokens at several locations, like a web client with an old bearer token beside a good cookie.
///
/// The first good one counts, and everything after depends on it alone: the rules against cross-site requests, the
/// proof of possession, the limits, the refresh and the sign-out. A token before it was refused for good: it has expired,
/// was revoked, or cannot be verified. What is unknown at the moment is not passed over, since the caller would depend
/// on an outage; and two good tokens of two subjects are refused, since the backend might go by the other one. A `sub` is
/// its issuer's (RFC 7519 section 4.1.2): one of two issuers is two subjects.
extension Authorizer {
    /// What a token is worth by itself, whether or not its sender may use it.
    private enum Standing {
        case good(Caller)
        /// All is good except its expiry, and it may be refreshed.
        case expired(Caller)
        /// Refused for good.
        case stale(Refusal)
        /// Not known at the moment.
        case unknown(Refusal)
    }

    /// A token and what it is worth.
    private struct JudgedToken {
        let token: PresentedRange
        let standing: Standing

        var caller: Caller? {
            switch standing {
            case .good(let caller), .expired(let caller): caller
            case .stale, .unknown: nil
            }
        }
        var isGood: Bool { if case .good = standing { true } else { false } }
        var isExpired: Bool { if case .expired = standing { true } else { false } }
        var isStale: Bool { if case .stale = standing { true } else { false } }
    }

    /// - Parameter first: The token at the first location that has one.
    /// - Returns: Nil if the request has no other.
    func authenticateSeveral(
        _ first: PresentedRange,
        _ input: DecisionInput,
        _ bytes: Span<UInt8>
    ) -> Authentication? {
        let (decisionContext, tenant) = (input.decisionContext, input.request.tenant)
        let further = TokenFinder.findAll(
            after: first.source,
            input.head,
            bytes,
            query: input.request.target.query,
            in: tenant.tokenSources.all,
            takesProofs: tenant.proving != nil
        )
        guard let further else {
            decisionContext.explanation?.note(.several, tenant.tenant)
            return .refused(.severalTokens)
        }
        guard !further.isEmpty else { return nil }
        // Whichever counts, another site's page must not act with it: then no issuer is asked about any of them.
        if ([first] + further).allSatisfy({ tenant.tokenSources.mayUseCookie($0.source) }),
            let refused = checkCrossSite(first.source, input, bytes)
        {
            return refused
        }
        let progress = decisionContext.beginSeveralTokens()
        var judged: [JudgedToken] = []
        for token in [first] + further {
            progress.begins(tokenAt: token.source, &decisionContext.steps)
            if token != first {
                let found = TokenFinder.Finding.token(token.range, index: token.source)
                decisionContext.explanation?.note(found, tenant.tenant)
            }
            switch standing(of: token, input, bytes) {
            case .standing(let standing): judged.append(JudgedToken(token: token, standing: standing))
            case .needs(let step): return .needs(step)
            }
        }
        return authenticate(judged, progress, input, bytes)
    }

    private enum Judgement {
        case standing(Standing)
        case needs(SlowStep)
    }

    private func standing(of token: PresentedRange, _ input: DecisionInput, _ bytes: Span<UInt8>) -> Judgement {
        let verified = verify(token.range, input, bytes)
        switch verified {
        case .needs(let step): return .needs(step)
        case .refused(let refusal): return .standing(Self.standing(refusal))
        case .unproven(let unproven): return .standing(Self.standing(unproven.refusal))
        case .verified(let caller), .expired(let caller):
            if case .refused(let refusal) = checkRevocation(caller, input) {
                return .standing(Self.standing(refusal))
            }
            if case .expired = verified { return .standing(.expired(caller)) }
            return .standing(.good(caller))
        }
    }

    private static func standing(_ refusal: Refusal) -> Standing {
        switch refusal.code {
        case .invalidToken, .tokenExpired, .tokenRevoked: .stale(refusal)
        default: .unknown(refusal)
        }
    }

    /// - Parameter judged: Two or more, in the order of their locations.
    private func authenticate(
        _ judged: [JudgedToken],
        _ progress: SeveralTokens,
        _ input: DecisionInput,
        _ bytes: Span<UInt8>
    ) -> Authentication {
        let good = judged.filter(\.isGood)
        if let first = good.first {
            for other in good.dropFirst() where !isSameSubject(first, other, bytes) {
                input.decisionContext.explanation?.noteConflict(first.token, other.token, input.request.tenant.tenant)
                return .refused(.conflictingTokens)
            }
        }
        let index = judged.firstIndex { !$0.isStale && !$0.isExpired } ?? judged.firstIndex(where: \.isExpired) ?? 0
        let counted = judged[index]
        // Without a token that may count, the request is as the client made it: it is refused, or needs none.
        let isUsable = counted.caller != nil
        progress.count(
            counted.token.source,
            // A stale token is not for the backend, which could believe it.
            withheld: isUsable ? judged.filter { !$0.isGood && $0.token != counted.token }.map(\.token.source) : [],
            others: judged.filter { $0.token != counted.token && isSameSubject(counted, $0, bytes) }
                .compactMap(\.caller)
        )
        input.decisionContext.explanation?.note(progress, input.request.tenant.tenant)
        if let refused = checkCrossSite(counted.token.source, input, bytes) { return refused }
        switch counted.standing {
        case .good(let caller):
            return checkBinding(caller, isExpired: false, counted.token.range, input, bytes) ?? .verified(caller)
        case .expired(let caller):
            return checkBinding(caller, isExpired: true, counted.token.range, input, bytes) ?? .expired(caller)
        case .stale(let refusal), .unknown(let refusal): return .refused(refusal)
        }
    }

    /// Of tokens without a subject nobody can say whose they are, unless they are one token.
    private func isSameSubject(_ one: JudgedToken, _ other: JudgedToken, _ bytes: Span<UInt8>) -> Bool {
        if bytes.isEqual(one.token.range, other.token.range) { return true }
        guard let left = one.caller?.principal, let right = other.caller?.principal,
            let subject = left.subject, let otherSubject = right.subject
        else { return false }
        return subject.utf8.elementsEqual(otherSubject.utf8) && left.issuer.utf8.elementsEqual(right.issuer.utf8)
    }
}

extension Refusal {
    /// For a request whose tokens are all good.
    package static let conflictingTokens = Refusal(
        .conflictingTokens,
        status: 400,
        detail: "the request has good tokens of different subjects: send one of them"
    )
}
