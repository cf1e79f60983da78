import Tenants
import Testing

@testable import Events

/// What Standard Webhooks 1.0.0 signs.
@Suite struct WebhookSignatureTests {
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private static func text(_ secrets: [String]) -> String {
        WebhookSignature(secrets.map { Secret($0) })
            .text(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
    }

    @Test func publicExampleIsSignedAsPublished() {
        #expect(Self.text(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) == Self.signature)
    }

    @Test func everySecretSigns() {
        let other = "a text that is used as it is"
        let both = Self.text([other, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
        #expect(both == "\(Self.text([other])) \(Self.signature)")
        #expect(Self.text([other]) != Self.signature)
    }

    @Test(arguments: ["whsec_+/8=", "whsec_+/8"])
    func base64IsReadWithAndWithoutPadding(_ text: String) {
        #expect(Secret(text).webhookKey == [0xfb, 0xff])
    }

    @Test(arguments: ["whsec_-_8=", "whsec_+", "whsec_+/8==", "whsec_a b"])
    func otherTextsAfterThePrefixAreNoKey(_ text: String) {
        #expect(Secret(text).webhookKey == nil)
    }
}
