import Testing

@testable import ExtAuthz

/// Our messages against bytes that were made once with the Python package `xds-protos` 1.85.0, which has Envoy's own:
/// a changed field number fails here.
@Suite struct WireFormatTests {
    @Test func unknownFieldsOfAQueryAreSkipped() throws {
        let message = try QueriedRequest.read(
            bytes(
                """
                0ad1010a390a110a0f12093139322e302e322e3718c0b8021a090a047a6f6e6512016222197370696666653a2f2f736f
                6d6577686572652f636c69656e7412150a130a11120c3139382e35312e3130302e3118bb03225a0a060880e2cfaa0612
                500a013112034745541a0a0a05782d6f6e6512013122062f613f623d632a086170702e74657374320568747470733a01
                7142016648ffffffffffffffffff015206485454502f325a086b657074206f757452150a0c7669727475616c5f686f73
                7412056c6f63616c620a0a086170702e74657374
                """
            )
        )
        let expected = QueriedRequest(
            method: Array("GET".utf8),
            path: Array("/a?b=c".utf8),
            host: Array("app.test".utf8),
            scheme: Array("https".utf8),
            version: "HTTP/2",
            fields: [AuthzField("x-one", "1")],
            source: Array("192.0.2.7".utf8)
        )
        #expect(message == expected)
    }

    @Test func rawFieldsAndSocketsOfTheMachineAreRead() throws {
        let message = try QueriedRequest.read(
            bytes(
                """
                0a4a0a150a1312110a0f2f72756e2f656e766f792e736f636b2231122f1204504f535422012f2a086170702e74657374
                6a1a0a0b0a05782d7261771a02ff010a0b0a06782d74657874120174
                """
            )
        )
        let expected = QueriedRequest(
            method: Array("POST".utf8),
            path: Array("/".utf8),
            host: Array("app.test".utf8),
            scheme: [],
            version: "",
            fields: [AuthzField(name: Array("x-raw".utf8), value: [0xff, 0x01]), AuthzField("x-text", "t")],
            source: nil
        )
        #expect(message == expected)
    }

    @Test func grantIsWrittenAsEnvoyReadsIt() throws {
        let reply = CheckReply.granted(
            RequestChanges(
                set: [AuthzField("X-User-Id", "alice")],
                remove: [Array("X-User-Role".utf8)],
                removeParameters: [Array("access_token".utf8)]
            )
        )
        let written = reply.message
        let expected = try bytes(
            """
            0a001a3312160a120a09582d557365722d49641205616c69636518022a0b582d557365722d526f6c65420c6163636573
            735f746f6b656e
            """
        )
        #expect(written == expected)
    }

    @Test func refusalWithTwoChallengesIsWrittenAsEnvoyReadsIt() throws {
        let reply = CheckReply.denied(
            status: 401,
            fields: [AuthzField("WWW-Authenticate", "Bearer"), AuthzField("WWW-Authenticate", "DPoP")],
            body: Array("no".utf8)
        )
        let written = reply.message
        let expected = try bytes(
            """
            0a02081012490a03089103121e0a1a0a105757572d41757468656e74696361746512064265617265721802121e0a180a
            105757572d41757468656e746963617465120444506f50120208011a026e6f
            """
        )
        #expect(written == expected)
    }

    @Test(
        arguments: [
            (400, "0a02080712050a03089003"), (404, "0a02080712050a03089403"), (405, "0a02080712050a03089503"),
            (421, "0a02080712050a0308a503"), (429, "0a02080712050a0308ad03"), (503, "0a02080712050a0308f703"),
        ]
    )
    func everyStatusIsWritten(_ status: Int, _ hex: String) throws {
        let written = CheckReply.denied(status: status, fields: [], body: []).message
        let expected = try bytes(hex)
        #expect(written == expected)
    }

    @Test func nonTextValueIsRemoved() {
        let field = AuthzField(name: Array("Cookie".utf8), value: [0x61, 0xff])
        let written = CheckReply.granted(RequestChanges(set: [field])).message
        #expect(written == [0x0a, 0x00, 0x1a, 0x08, 0x2a, 0x06] + Array("Cookie".utf8))
    }

    private func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex.filter { !$0.isWhitespace })
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(digits[index...(index + 1)]), radix: 16))
        }
    }
}
