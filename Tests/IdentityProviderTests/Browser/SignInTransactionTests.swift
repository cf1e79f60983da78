import Store
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Sign-ins under way in the store.
struct SignInTransactionTests {
    private static func transaction(
        _ purpose: SignInTransaction.Purpose = .web(after: "https://a.example/"),
        posted: SignInTransaction.Posted? = nil,
        demand: SignInDemand = SignInDemand()
    ) -> SignInTransaction {
        SignInTransaction(
            purpose: purpose,
            legs: [
                .apple: .init(nonce: "n-a", codeVerifier: "v-a", redirectURI: "https://a.example/apple"),
                .google: .init(nonce: "n-g", codeVerifier: "v-g", redirectURI: "https://a.example/google"),
                // The names of other members.
                .named("client"): .init(nonce: "n-c", codeVerifier: "v-c", redirectURI: "https://a.example/client"),
                .named("posted"): .init(nonce: "n-p", codeVerifier: "v-p", redirectURI: "https://a.example/posted"),
            ],
            bindingHash: [1, 2, 3],
            expiresAt: 1_800_000_600.25,
            posted: posted,
            demand: demand
        )
    }

    static let all: [SignInTransaction] = {
        let full = AuthorizationRequest(
            client: ClientReturn(kept: "c", redirectURI: "app://back", state: "s \u{1F511}\n\""),
            scopes: ["openid", "email"],
            nonce: "n",
            codeChallenge: BrowserSignInFixture.challenge
        )
        let bare = AuthorizationRequest(
            client: ClientReturn(kept: "c", redirectURI: "app://back", state: nil),
            scopes: ["openid"],
            nonce: nil,
            codeChallenge: BrowserSignInFixture.challenge
        )
        return [
            transaction(), transaction(.client(full)), transaction(.client(bare)),
            transaction(posted: .init(provider: .apple, callback: .code("c", givenName: "Alice"))),
            transaction(posted: .init(provider: .google, callback: .code("c", givenName: nil))),
            transaction(posted: .init(provider: .apple, callback: .cancelled)),
            transaction(posted: .init(provider: .apple, callback: .failed)),
            transaction(posted: .init(provider: .named("client"), callback: .code("c", givenName: nil))),
            transaction(demand: SignInDemand(isAnew: true)),
        ]
    }()

    @Test(arguments: all)
    func transactionRoundTrips(_ transaction: SignInTransaction) {
        #expect(SignInTransaction(json: transaction.json) == transaction)
    }

    @Test(arguments: ["", "[]", "{}", #"{"binding":"AQ","expires":1}"#, #"{"after":"x","expires":1}"#, "null"])
    func invalidTransactionIsRejected(_ json: String) {
        #expect(SignInTransaction(json: Array(json.utf8)) == nil)
    }

    @Test(arguments: [SignIn.Provider.apple, .google, .named("a"), .named("g"), .named("n-a"), .named("Company_1")])
    func stateNamesItsProvider(_ provider: SignIn.Provider) throws {
        let state = SignInState(id: SignInID.make(), provider: provider)
        #expect(SignInState(state.text) == state)
        for text in [state.text + ".x", state.text + " ", "." + state.text, String(state.text.dropLast())] {
            #expect(SignInState(text) != state)
        }
    }

    @Test(arguments: ["n-", "n-apple", "n-google", "n-1", "n-a b", "x", "", "n-\(String(repeating: "a", count: 33))"])
    func stateOfNoProviderIsRefused(_ mark: String) {
        #expect(SignInState("\(SignInID.make().text).\(mark)") == nil)
    }

    @Test func storedTransactionRevealsNothing() async throws {
        let store = MemoryStore.still
        let transactions = SignInTransactions(store: store, tenant: "chat")
        let id = SignInID.make()
        try await transactions.add(Self.transaction(), as: id)
        let bytes = try #require(
            try await store.value(for: StoreKey(tenant: "chat", kind: "sign-in", hashing: id.bytes))
        )
        let text = String(decoding: bytes, as: UTF8.self)
        for secret in ["v-a", "n-g", "a.example", "binding"] { #expect(!text.contains(secret)) }
        let other = SignInTransactions(store: store, tenant: "clans")
        #expect(try await other.read(id, at: 1_800_000_000) == nil)
        #expect(try await transactions.read(id, at: 1_800_000_000)?.transaction == Self.transaction())
    }

    @Test func garbledRecordIsStoreError() async throws {
        let store = MemoryStore.still
        let transactions = SignInTransactions(store: store, tenant: "chat")
        let id = SignInID.make()
        let key = StoreKey(tenant: "chat", kind: "sign-in", hashing: id.bytes)
        try await store.set([1, 2, 3], for: key, lifetime: nil)
        await #expect(throws: StoreError.garbled("a sign-in under way of chat")) {
            _ = try await transactions.read(id, at: 1)
        }
    }

    @Test func consumedTransactionStaysConsumed() async throws {
        let transactions = SignInTransactions(store: MemoryStore.still, tenant: "chat")
        let id = SignInID.make()
        try await transactions.add(Self.transaction(), as: id)
        let stored = try #require(try await transactions.read(id, at: 1_800_000_000))
        #expect(try await transactions.consume(stored))
        #expect(try await !transactions.consume(stored))
        #expect(try await !transactions.replace(stored, with: Self.transaction()))
        #expect(try await transactions.read(id, at: 1_800_000_000) == nil)
    }

    @Test func stateRoundTripsAndOtherTextIsRejected() throws {
        let state = SignInState(id: .make(), provider: .apple)
        #expect(SignInState(state.text) == state)
        var generator = SplitMix64(seed: 77)
        for _ in 0..<2000 {
            var bytes = Array(state.text.utf8)
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
            let text = String(decoding: bytes, as: UTF8.self)
            if let read = SignInState(text) { #expect(read.text.utf8.elementsEqual(bytes)) }
        }
        for text in ["", ".", "a.a.a", state.text + ".a", state.text + " ", state.id.text, "\(state.id.text).A"] {
            #expect(SignInState(text) == nil)
        }
    }

    @Test func appleUserNameIsReadWithCode() throws {
        let state = SignInState(id: .make(), provider: .apple)
        let users = [
            (#"{"name":{"firstName":"Alice","lastName":"Liddell"}}"#, "Alice Liddell"), ("{}", nil), ("not JSON", nil),
        ]
        for (user, name) in users {
            let form = FormText.text(of: [("state", state.text), ("code", "c"), ("user", user)])
            #expect(ProviderReturn(Array(form.utf8))?.callback == .code("c", givenName: name))
        }
    }
}
