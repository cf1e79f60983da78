import TestSupport
import Testing

@testable import HTTPCore

/// The examples of RFC 7541 appendix C.
struct HPACKExampleTests {
    private let request = [
        HPACKField(":method", "GET"), HPACKField(":scheme", "http"), HPACKField(":path", "/"),
        HPACKField(":authority", "www.example.com"),
    ]

    @Test func literalsOfSectionC2AreDecoded() throws {
        var decoder = HPACKDecoder()
        let indexed = hexadecimal("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572")
        #expect(try decoder.fields(of: indexed) == [HPACKField("custom-key", "custom-header")])
        #expect(try decoder.fields(of: [0xbe]) == [HPACKField("custom-key", "custom-header")])
        let plain = hexadecimal("040c 2f73 616d 706c 652f 7061 7468")
        #expect(try decoder.fields(of: plain) == [HPACKField(":path", "/sample/path")])
        let never = hexadecimal("1008 7061 7373 776f 7264 0673 6563 7265 74")
        #expect(try decoder.fields(of: never) == [HPACKField("password", "secret")])
        #expect(try decoder.fields(of: [0x82]) == [HPACKField(":method", "GET")])
    }

    @Test(arguments: [
        [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ],
        [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ],
    ])
    func requestsOfSectionsC3AndC4AreDecoded(blocks: [String]) throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: hexadecimal(blocks[0])) == request)
        #expect(try decoder.fields(of: hexadecimal(blocks[1])) == request + [HPACKField("cache-control", "no-cache")])
        let third = [
            HPACKField(":method", "GET"), HPACKField(":scheme", "https"), HPACKField(":path", "/index.html"),
            HPACKField(":authority", "www.example.com"), HPACKField("custom-key", "custom-value"),
        ]
        #expect(try decoder.fields(of: hexadecimal(blocks[2])) == third)
    }

    /// A table of 256 octets, which evicts.
    @Test func responsesOfSectionC6AreDecoded() throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: hexadecimal("3fe1 01")) == [])
        let date = "Mon, 21 Oct 2013 20:13:2"
        let first = try decoder.fields(
            of: hexadecimal(
                """
                4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718
                63c7 8f0b 97c8 e9ae 82ae 43d3
                """
            )
        )
        let tail = [HPACKField("date", date + "1 GMT"), HPACKField("location", "https://www.example.com")]
        let privateCache = HPACKField("cache-control", "private")
        #expect(first == [HPACKField(":status", "302"), privateCache] + tail)
        let second = try decoder.fields(of: hexadecimal("4883 640e ffc1 c0bf"))
        #expect(second == [HPACKField(":status", "307"), privateCache] + tail)
        let third = try decoder.fields(
            of: hexadecimal(
                """
                88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7
                b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
                """
            )
        )
        let cookie = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
        let expected = [
            HPACKField(":status", "200"), privateCache, HPACKField("date", date + "2 GMT"), tail[1],
            HPACKField("content-encoding", "gzip"), HPACKField("set-cookie", cookie),
        ]
        #expect(third == expected)
    }

    /// Section C.1.2: 1337 after a prefix of five bits.
    @Test func integersAreEncodedInFewestBytes() throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: hexadecimal("3f9a 0a 82")) == [HPACKField(":method", "GET")])
    }

    @Test func staticTableMatchesAppendixA() throws {
        var decoder = HPACKDecoder()
        let fields = try decoder.fields(of: (1...61).map { UInt8(0x80 | $0) })
        #expect(fields.count == 61)
        #expect(fields[7] == HPACKField(":status", "200"))
        #expect(fields[15] == HPACKField("accept-encoding", "gzip, deflate"))
        #expect(fields[27] == HPACKField("content-length", ""))
        #expect(fields[60] == HPACKField("www-authenticate", ""))
    }
}
