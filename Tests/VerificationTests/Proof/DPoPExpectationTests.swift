import Testing
import Time
import Verification

/// What a proof must say of the request that it comes with (RFC 9449 section 4.3, checks 5 and 8 to 12).
struct DPoPExpectationTests {
    @Test func validProofPasses() throws {
        #expect(Proofs.refusal(of: try Proofs.text()) == nil)
    }

    @Test(arguments: ["POST", "get", "GETS", "", "GET "])
    func otherMethodIsRefused(method: String) throws {
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["htm": .string(method)])) == .wrongMethod)
    }

    @Test(arguments: ["https://api.example/order", "http://api.example/orders", "https://other.example/orders", ""])
    func otherURLIsRefused(url: String) throws {
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["htu": .string(url)])) == .wrongTarget)
    }

    @Test func otherAlgorithmIsRefused() throws {
        let text = try Proofs.text(.es384)
        #expect(Proofs.refusal(of: text) { $0.algorithms = [.es256, .edDSA] } == .algorithmNotAllowed)
        #expect(Proofs.refusal(of: text) { $0.algorithms = [.es384] } == nil)
    }

    @Test func oldAndFutureProofsAreRefused() throws {
        let text = try Proofs.text()
        #expect(Proofs.refusal(of: text, at: Proofs.now + 60) == nil)
        #expect(Proofs.refusal(of: text, at: Proofs.now + 60.1) == .tooOld)
        #expect(Proofs.refusal(of: text, at: Proofs.now - 60) == nil)
        #expect(Proofs.refusal(of: text, at: Proofs.now - 60.1) == .issuedInFuture)
    }

    @Test func expiryAndNotBeforeAreChecked() throws {
        let now = Int(Proofs.now.seconds)
        let over = try Proofs.text(changing: ["exp": .number(JSONNumber(now - 5))])
        #expect(Proofs.refusal(of: over) == .tooOld)
        let early = try Proofs.text(changing: ["nbf": .number(JSONNumber(now + 6))])
        #expect(Proofs.refusal(of: early) == .issuedInFuture)
        let backwards = try Proofs.text(
            changing: ["nbf": .number(JSONNumber(now)), "exp": .number(JSONNumber(now - 100))]
        )
        #expect(Proofs.refusal(of: backwards) == nil)
        #expect(Proofs.refusal(of: backwards, at: Proofs.now + 5) == .tooOld)
        let good = try Proofs.text(changing: ["nbf": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 1))])
        #expect(Proofs.refusal(of: good) == nil)
    }

    @Test func extremeTimesAreRefused() throws {
        let text = try Proofs.text(changing: ["iat": .number(try #require(JSONNumber(1e308)))])
        #expect(Proofs.refusal(of: text) == .issuedInFuture)
        let early = try Proofs.text(changing: ["iat": .number(try #require(JSONNumber(-1e308)))])
        #expect(Proofs.refusal(of: early) == .tooOld)
    }

    @Test func accessTokenHashIsChecked() throws {
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["ath": nil])) == .missingClaim("ath"))
        #expect(Proofs.refusal(of: try Proofs.text()) { $0.accessToken = Array("another".utf8) } == .wrongToken)
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["ath": nil])) { $0.accessToken = nil } == nil)
    }

    @Test func keyOfTheTokenIsChecked() throws {
        let text = try Proofs.text()
        let thumbprint = try Proofs.parse(text).keyThumbprint
        #expect(Proofs.refusal(of: text) { $0.keyThumbprint = thumbprint } == nil)
        #expect(Proofs.refusal(of: text) { $0.keyThumbprint = thumbprint.reversed() } == .wrongKey)
        #expect(Proofs.refusal(of: text) { $0.keyThumbprint = [] } == .wrongKey)
    }
}
