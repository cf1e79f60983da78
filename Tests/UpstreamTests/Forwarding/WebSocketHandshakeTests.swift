import TestSupport
import Testing
import Verification

@testable import Upstream

/// The values of an opening handshake (RFC 6455 section 4).
struct WebSocketHandshakeTests {
    @Test(arguments: ["websocket", "WebSocket", "WEBSOCKET", " websocket ", "websocket,", ", websocket"])
    func websocketUpgradeIsRecognized(value: String) {
        #expect(WebSocketHandshake.isUpgradeToWebSocket(value))
    }

    @Test(arguments: [
        "", ",", "h2c", "websocket, h2c", "h2c, websocket", "websocket, websocket", "websocket/13", "web",
    ])
    func otherUpgradeListIsNotWebSocket(value: String) {
        #expect(!WebSocketHandshake.isUpgradeToWebSocket(value))
    }

    @Test func upgradeIsFoundInConnectionList() {
        for value in ["upgrade", "Upgrade", "keep-alive, Upgrade", "close,UPGRADE,x"] {
            #expect(WebSocketHandshake.namesUpgrade(value))
        }
        for value in ["", "keep-alive", "upgrades", "up grade", "\"upgrade\""] {
            #expect(!WebSocketHandshake.namesUpgrade(value))
        }
    }

    @Test func onlyVersion13IsAccepted() {
        #expect(WebSocketHandshake.isSupportedVersion("13"))
        for value in ["", "1", "8", "12", "14", "013", "13, 8", "8, 13", "23"] {
            #expect(!WebSocketHandshake.isSupportedVersion(value))
        }
    }

    @Test func keyMustBe16BytesInBase64() {
        for key in ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA==", "+/+/+/+/+/+/+/+/+/+/+w=="] {
            #expect(WebSocketHandshake.isKey(key))
        }
        for key in [
            "", "==", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR==",
            "dGhlIHNhbXBsZSBub25jZB==", "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZWE=",
            "-_-_-_-_-_-_-_-_-_-_-w==", "dGhlIHNhbXBsZ SBub25jZQ=", "dGhlIHNhbXBsZ=Bub25jZQ==",
            " dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ=a",
        ] {
            #expect(!WebSocketHandshake.isKey(key))
        }
    }

    @Test func acceptMatchesRFC6455Example() {
        // The example of section 1.3.
        let key = Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)
        #expect(String(decoding: WebSocketHandshake.accept(for: key), as: UTF8.self) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketHandshake.isAccept("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", for: key))
        for value in [
            "", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo", "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "s3pPLMBiTxaQ9kYGzzhZRbK+xOp=",
        ] {
            #expect(!WebSocketHandshake.isAccept(value, for: key))
        }
    }

    @Test func sha1MatchesStandardExamples() {
        // FIPS 180's example.
        let digest: [UInt8] = [
            0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e, 0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0,
            0xd8, 0x9d,
        ]
        #expect(SHA1.digest(Array("abc".utf8)) == digest)
    }

    @Test func keyEncodesGivenBytes() {
        let key = WebSocketHandshake.key(0x7468_6520_7361_6d70, 0x6c65_206e_6f6e_6365)
        #expect(String(decoding: key, as: UTF8.self) == "dGhlIHNhbXBsZSBub25jZQ==")
        var random = SplitMix64(seed: 44)
        for _ in 0..<500 {
            let key = WebSocketHandshake.key(random.next(), random.next())
            #expect(WebSocketHandshake.isKey(String(decoding: key, as: UTF8.self)))
            let accept = String(decoding: WebSocketHandshake.accept(for: key), as: UTF8.self)
            #expect(accept.utf8.count == 28)
            #expect(WebSocketHandshake.isAccept(accept, for: key))
        }
    }
}
