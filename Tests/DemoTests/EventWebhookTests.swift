import Synchronization
import Testing
import Time
import Verification

@testable import Demo

/// Which requests count as the gateway's events.
struct EventWebhookTests {
    private static let key = Array("a-secret-of-the-webhook".utf8)
    private static let body = Array(#"{"id":"evt_1","type":"signed_in","tenant":"chat"}"#.utf8)

    private static func signature(_ id: String, _ timestamp: String, _ body: [UInt8] = body) -> String {
        "v1,"
            + StandardBase64.encode(HMACSHA256.code(of: Array("\(id).\(timestamp).".utf8) + body, key: key))
    }

    private func webhook() -> EventWebhook { EventWebhook(key: Self.key) { UnixTime(1_000) } }

    @Test func genuineEventIsKeptOnce() {
        let told = Mutex<[JSONValue?]>([])
        let webhook = EventWebhook(key: Self.key) {
            UnixTime(1_000)
        } onEvent: { event in
            told.withLock { $0.append(event["type"]) }
        }
        for timestamp in ["1000", "1300", "700"] {
            let signature = "v1,other \(Self.signature("evt_1", timestamp))"
            #expect(webhook.receive(Self.body, id: "evt_1", timestamp: timestamp, signature: signature))
        }
        #expect(webhook.latest.map { $0["type"] } == ["signed_in"])
        #expect(told.withLock { $0 } == ["signed_in"])
    }

    @Test func latestEventComesFirstAndTheirNumberIsBounded() {
        let webhook = webhook()
        for number in 0..<30 {
            let body = Array(#"{"number":\#(number)}"#.utf8)
            let id = "evt_\(number)"
            #expect(webhook.receive(body, id: id, timestamp: "1000", signature: Self.signature(id, "1000", body)))
        }
        #expect(webhook.latest.count == 20)
        #expect(webhook.latest.first?["number"]?.double == 29)
    }

    @Test func otherRequestsAreRefused() {
        let webhook = webhook()
        let good = Self.signature("evt_1", "1000")
        for (id, timestamp, signature, body) in [
            ("evt_2", "1000", good, Self.body), ("evt_1", "1001", good, Self.body), ("evt_1", "1000", "", Self.body),
            ("evt_1", "1000", good + "x", Self.body), ("evt_1", "1000", good, Self.body + [0x20]),
            ("evt_1", "699", Self.signature("evt_1", "699"), Self.body),
            ("evt_1", "x", Self.signature("evt_1", "x"), Self.body),
            ("evt_1", "1000", Self.signature("evt_1", "1000", [0x7B]), [0x7B]),
        ] {
            #expect(!webhook.receive(body, id: id, timestamp: timestamp, signature: signature))
        }
        #expect(webhook.latest.isEmpty)
    }
}
