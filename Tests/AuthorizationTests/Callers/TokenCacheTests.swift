import Counting
import Tenants
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Authorization

/// What is remembered of tokens, and what must never be.
struct TokenCacheTests {
    private func caller(_ name: String, expires: UnixTime = RequestPipeline.now + 600) throws -> (Caller, [UInt8]) {
        let tenant = try RequestPipeline.tenant()
        let number = JSONNumber(Int(expires.seconds))
        let token = Array(try RequestPipeline.token(["sub": .string(name), "exp": .number(number)]).utf8)
        let principal = try TokenVerifier(tenant.authenticate.policy).verify(token, at: RequestPipeline.now)
        return (Caller(principal, tenant: tenant), token)
    }

    private func key(_ number: Int, tenant: TenantRevision = TenantRevision(0)) -> TokenCache.Key {
        TokenCache.Key(hash: (0, UInt64(number) + 1), tenant: tenant)
    }

    // MARK: Through the decision

    @Test func secondUseOfATokenIsAHit() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let token = try RequestPipeline.token()
        for _ in 0..<3 { #expect(pipeline.get("/", token: token).grant?.caller?.principal.subject == "alice") }
        #expect(pipeline.authorizer.authenticator.cacheCounts == TokenCacheCounts(hits: 2, misses: 1, refusedHits: 0))
    }

    @Test func rememberedTokenStillExpires() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let token = try RequestPipeline.token()
        #expect(pipeline.get("/", token: token).grant != nil)
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 659.9).grant != nil)
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 660).refusal == .tokenExpired)
        #expect(pipeline.authorizer.authenticator.cacheCounts == TokenCacheCounts(hits: 1, misses: 2, refusedHits: 0))
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 661).refusal == .tokenExpired)
        #expect(pipeline.authorizer.authenticator.cacheCounts.refusedHits == 1)
    }

    @Test func tokenOfOneTenantIsNotAnothers() throws {
        let other = try RequestPipeline.tenant(name: "other", host: "other.test")
        let stranger = IssuerPolicy(
            issuer: "https://stranger.test",
            algorithms: [.hs256],
            keys: try KeySet(secret: Array("the secret of a stranger, which is thirty-two bytes".utf8))
        )
        var strange = other
        strange.authenticate.policy.issuers = [stranger]
        let pipeline = RequestPipeline([try RequestPipeline.tenant(), strange])
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        for _ in 0..<2 {
            #expect(pipeline.ask(RequestPipeline.request("/", lines: lines)).grant != nil)
            #expect(
                pipeline.ask(RequestPipeline.request("/", host: "other.test", lines: lines)).refusal?.code
                    == .invalidToken
            )
        }
        #expect(pipeline.authorizer.authenticator.cacheCounts == TokenCacheCounts(hits: 1, misses: 2, refusedHits: 1))
    }

    @Test func forgedTokenNeverEvictsAVerifiedOne() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let token = try RequestPipeline.token()
        #expect(pipeline.get("/", token: token).grant != nil)
        let forged = try RequestPipeline.token(forged: true)
        let body = forged.dropLast(6)
        for number in 0..<2000 {
            let text = String(10_000 + number)
            #expect(pipeline.get("/", token: "\(body)A\(text)").refusal?.status == 401)
        }
        #expect(pipeline.authorizer.authenticator.cacheCounts.hits == 0)
        #expect(pipeline.get("/", token: token).grant != nil)
        #expect(pipeline.authorizer.authenticator.cacheCounts.hits == 1)
        #expect(pipeline.get("/", token: forged).grant == nil)
    }

    @Test func refusalIsRememberedForAWhileOnly() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let forged = try RequestPipeline.token(forged: true)
        for time in [0.0, 29, 31] {
            #expect(pipeline.get("/", token: forged, at: RequestPipeline.now + time).refusal?.code == .invalidToken)
        }
        #expect(pipeline.authorizer.authenticator.cacheCounts == TokenCacheCounts(hits: 0, misses: 2, refusedHits: 1))
    }

    @Test func tokenThatBecomesValidIsAccepted() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let token = try RequestPipeline.token(["nbf": .number(JSONNumber(Int(RequestPipeline.now.seconds) + 65))])
        #expect(pipeline.get("/", token: token).refusal?.code == .invalidToken)
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 10).grant != nil)
    }

    // MARK: The cache itself

    /// A verified token and where its hash would put it.
    private struct Known {
        var caller: Caller
        var token: [UInt8]
        var key: TokenCache.Key

        func insert(into cache: TokenCache) { cache.insert(caller, key, token: token.span) }

        func entry(in cache: TokenCache, at now: UnixTime = RequestPipeline.now) -> TokenCache.Entry? {
            cache.entry(key, token: token.span, at: now)
        }

        func find(in cache: TokenCache, at now: UnixTime = RequestPipeline.now) -> Caller? {
            entry(in: cache, at: now)?.caller
        }
    }

    private func known(_ number: Int) throws -> Known {
        let (caller, token) = try caller("c\(number)")
        return Known(caller: caller, token: token, key: key(number))
    }

    @Test func ninthTokenOfASetEvictsOne() throws {
        let cache = TokenCache(sets: 1)
        let all = try (0..<9).map(known)
        for known in all.dropLast() { known.insert(into: cache) }
        for known in all.dropLast() { #expect(known.find(in: cache) === known.caller) }
        all[8].insert(into: cache)
        let kept = all.indices.filter { all[$0].find(in: cache) === all[$0].caller }
        #expect(kept.count == 8)
        #expect(kept.contains(8))
    }

    @Test func rememberedEntryMatchesItsTokenAndTenantOnly() throws {
        let cache = TokenCache(sets: 4)
        let (alice, bob) = (try known(1), try known(2))
        alice.insert(into: cache)
        let entry = try #require(alice.entry(in: cache))
        let tenant = alice.key.tenant
        func caller(_ tenant: TenantRevision, _ token: [UInt8], at now: UnixTime = RequestPipeline.now) -> Caller? {
            entry.caller(ofTenant: tenant, token: token.span, at: now)
        }
        #expect(caller(tenant, alice.token) === alice.caller)
        #expect(caller(TenantRevision(TenantIndex(tenant.tenant.value + 1)), alice.token) == nil)
        #expect(caller(TenantRevision(tenant.tenant, number: tenant.number + 1), alice.token) == nil)
        #expect(caller(tenant, bob.token) == nil)
        #expect(caller(tenant, alice.token, at: alice.caller.lifetime.refusedFrom) == nil)
    }

    @Test func evictedEntryIsNotUsedByItsConnection() throws {
        let cache = TokenCache(sets: 1)
        let all = try (0..<9).map(known)
        for known in all.dropLast() { known.insert(into: cache) }
        let entries = all.dropLast().compactMap { $0.entry(in: cache) }
        all[8].insert(into: cache)
        func held() -> Int {
            zip(entries, all).count { entry, known in
                entry.caller(ofTenant: known.key.tenant, token: known.token.span, at: RequestPipeline.now) != nil
            }
        }
        #expect(held() == 7)
        cache.removeAll { _ in true }
        #expect(held() == 0)
        #expect(all.allSatisfy { $0.find(in: cache) == nil })
    }

    /// A reload forgets the tokens of the tenants that it changes, and those of no other.
    @Test func tokensOfSomeTenantsAreRemoved() throws {
        let cache = TokenCache(sets: 4)
        var all = try (0..<6).map(known)
        for index in all.indices {
            all[index].key.tenant = TenantRevision(TenantIndex(index % 3))
            all[index].insert(into: cache)
        }
        let entries = all.compactMap { $0.entry(in: cache) }
        cache.removeAll { $0.tenant.value == 1 }
        for (known, entry) in zip(all, entries) {
            let isKept = known.key.tenant.tenant.value != 1
            #expect((known.find(in: cache) != nil) == isKept)
            let held = entry.caller(ofTenant: known.key.tenant, token: known.token.span, at: RequestPipeline.now)
            #expect((held != nil) == isKept)
        }
    }

    /// A token that is used between insertions stays, regardless of the number of tokens that are used once.
    @Test func usedTokenOutlivesTokensUsedOnce() throws {
        let cache = TokenCache(sets: 1)
        let all = try (0..<40).map(known)
        var isKept = true
        for known in all {
            known.insert(into: cache)
            isKept = isKept && all[0].find(in: cache) === all[0].caller
        }
        #expect(isKept)
    }

    @Test func recentlyUsedTokenIsEvictedLater() throws {
        let cache = TokenCache(sets: 1)
        let all = try (0..<10).map(known)
        for known in all[..<9] { known.insert(into: cache) }
        #expect(all[0].find(in: cache) == nil)
        #expect(all[1].find(in: cache) != nil)
        all[9].insert(into: cache)
        #expect(all[1].find(in: cache) != nil)
        #expect(all[2].find(in: cache) == nil)
    }

    @Test func sameHashWithOtherBytesOrTenantIsNoHit() throws {
        let cache = TokenCache(sets: 4)
        let alice = try known(1)
        alice.insert(into: cache)
        var forged = alice
        forged.token[forged.token.count - 1] ^= 1
        var shorter = alice
        shorter.token.removeLast()
        var stranger = alice
        stranger.key.tenant = TenantRevision(1)
        for other in [forged, shorter, stranger] { #expect(other.find(in: cache) == nil) }
        #expect(alice.find(in: cache) === alice.caller)
    }

    @Test func expiredTokenIsForgotten() throws {
        let cache = TokenCache(sets: 1)
        let alice = try known(1)
        alice.insert(into: cache)
        #expect(alice.find(in: cache, at: UnixTime(alice.caller.lifetime.refusedFrom.seconds.nextDown)) != nil)
        #expect(alice.find(in: cache, at: alice.caller.lifetime.refusedFrom) == nil)
        #expect(alice.find(in: cache) == nil)
    }

    // MARK: Refused tokens

    private func digest(_ number: Int) -> TokenDigest { TokenDigest(first: 0, second: UInt64(number)) }

    @Test func refusedTokenIsRememberedForAWhile() {
        let cache = RefusedTokenCache(sets: 1)
        #expect(cache.refusal(digest(1), at: 100) == nil)
        cache.insert(.tokenExpired, digest(1), at: 100)
        #expect(cache.refusal(digest(1), at: 129.9) == .tokenExpired)
        #expect(cache.refusal(digest(1), at: 130) == nil)
        #expect(cache.refusal(digest(2), at: 100) == nil)
        cache.removeAll()
        #expect(cache.refusal(digest(1), at: 100) == nil)
    }

    @Test func refusedTokensOfAFullSetReplaceOutdatedOnesFirst() {
        let cache = RefusedTokenCache(sets: 1)
        cache.insert(.tokenExpired, digest(1), at: 100, for: 5)
        for number in 2...8 { cache.insert(.missingToken, digest(number), at: 100) }
        cache.insert(.tokenExpired, digest(9), at: 105)
        #expect((2...8).allSatisfy { cache.refusal(digest($0), at: 106) == .missingToken })
        #expect(cache.refusal(digest(9), at: 106) == .tokenExpired)
        cache.insert(.tokenExpired, digest(10), at: 106)
        #expect((2...9).count { cache.refusal(digest($0), at: 106) != nil } == 7)
        #expect(cache.refusal(digest(10), at: 106) == .tokenExpired)
    }

    /// The same token again, when its time is over, takes no second entry.
    @Test func refusedTokenTakesOneEntry() {
        let cache = RefusedTokenCache(sets: 1)
        for number in 1...8 { cache.insert(.missingToken, digest(number), at: 100) }
        cache.insert(.tokenExpired, digest(3), at: 110)
        #expect((1...8).allSatisfy { cache.refusal(digest($0), at: 111) != nil })
        #expect(cache.refusal(digest(3), at: 139) == .tokenExpired)
    }

    @Test func newReasonReplacesAllWhenThereAreTooMany() {
        let cache = RefusedTokenCache(sets: 64)
        for number in 0..<300 {
            let refusal = Refusal(.invalidToken, status: 401, detail: "reason \(number)")
            cache.insert(refusal, TokenDigest(first: UInt64(number), second: 1), at: 100)
        }
        func remembered(_ number: Int) -> Refusal? {
            cache.refusal(TokenDigest(first: UInt64(number), second: 1), at: 101)
        }
        #expect((0..<256).allSatisfy { remembered($0) == nil })
        #expect((256..<300).allSatisfy { remembered($0)?.detail == "reason \($0)" })
    }

    // MARK: Hashing

    @Test func keyOfALongTokenDependsOnItsEndLengthAndTenant() {
        let hasher = TokenHasher()
        let token = (0..<200).map { UInt8($0) }
        func key(_ token: [UInt8], tenant: TenantIndex = 1, mayBeOpaque: Bool = false) -> [UInt64] {
            let hash = hasher.key(of: token.span, tenant: TenantRevision(tenant), mayBeOpaque: mayBeOpaque).hash
            return [hash.0, hash.1]
        }
        var otherStart = token
        otherStart[0] ^= 1
        #expect(key(token) == key(otherStart))
        #expect(key(token, mayBeOpaque: true) != key(otherStart, mayBeOpaque: true))
        for index in [136, 199] {
            var other = token
            other[index] ^= 1
            #expect(key(token) != key(other))
        }
        #expect(key(token) != key([0] + token))
        #expect(key(token) != key(token, tenant: 2))
        #expect(key(Array(token.prefix(128))) != key(Array(otherStart.prefix(128))))
    }

    @Test func digestDependsOnEveryByteAndOnTheTenant() {
        let hasher = TokenHasher()
        let token = (0..<200).map { UInt8($0) }
        let digest = hasher.digest(of: token.span, tenant: TenantRevision(1))
        for index in token.indices {
            var other = token
            other[index] ^= 1
            #expect(hasher.digest(of: other.span, tenant: TenantRevision(1)) != digest)
        }
        #expect(hasher.digest(of: token.span, tenant: TenantRevision(2)) != digest)
        #expect(hasher.digest(of: token.span, tenant: TenantRevision(1, number: 1)) != digest)
    }

    /// Tokens with the same end share a set, and are compared by all their bytes.
    @Test func longTokensWithTheSameEndAreDifferentTokens() throws {
        let hasher = TokenHasher()
        let cache = TokenCache(sets: 4)
        let (alice, token) = try caller("alice")
        var forged = token
        forged[10] ^= 1
        let key = hasher.key(of: token.span, tenant: TenantRevision(0), mayBeOpaque: false)
        cache.insert(alice, key, token: token.span)
        #expect(cache.entry(key, token: token.span, at: RequestPipeline.now)?.caller === alice)
        #expect(
            cache.entry(
                hasher.key(of: forged.span, tenant: TenantRevision(0), mayBeOpaque: false),
                token: forged.span,
                at: RequestPipeline.now
            ) == nil
        )
    }
}
