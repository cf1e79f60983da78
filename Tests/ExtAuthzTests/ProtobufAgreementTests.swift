import SwiftProtobuf
import TestSupport
import Testing

@testable import ExtAuthz
@testable import ExtAuthzMessages

/// Our reader and writer beside SwiftProtobuf's.
@Suite struct ProtobufAgreementTests {
    // MARK: Reading

    @Test func randomMessagesAreReadAlike() throws {
        var random = SplitMix64(seed: 0x7072_6f74)
        for _ in 0..<2000 {
            // Two messages in a row are one: lists are joined, single values replaced, messages merged.
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...2, using: &random) { bytes += try Self.message(&random).serializedBytes() }
            let message = try Envoy_Service_Auth_V3_CheckRequest(serializedBytes: bytes)
            #expect(try QueriedRequest.read(bytes) == QueriedRequest(message))
        }
    }

    @Test func mutatedMessagesAreReadAlikeOrRefusedByBoth() throws {
        var random = SplitMix64(seed: 0x6d75_7461)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            var bytes: [UInt8] = try Self.message(&random).serializedBytes()
            for _ in 0..<Int.random(in: 1...2, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.removeSubrange(place...)
                case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            let reference = try? Envoy_Service_Auth_V3_CheckRequest(serializedBytes: bytes)
            guard let request = try? QueriedRequest.read(bytes) else {
                refused += 1
                // SwiftProtobuf reads on inside an entry of a map whose key or value is of another type.
                #expect(reference?.attributes.request.http.headers.isEmpty != true, "\(bytes)")
                continue
            }
            read += 1
            #expect(try request == QueriedRequest(#require(reference)), "\(bytes)")
        }
        #expect(read > 1000)
        #expect(refused > 1000)
    }

    @Test(
        arguments: [
            // A group in a group, with a number in it.
            ([0x1b, 0x23, 0x08, 0x05, 0x24, 0x1c], true),
            // Numbers of all types.
            ([0x10, 0xff, 0x01, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4], true),
            // Ends of groups: of none, of another one, missing.
            ([0x1c], false), ([0x1b, 0x24], false), ([0x1b], false),
            // Field 0, a type that does not exist, a number of eleven bytes.
            ([0x02, 0x00], false), ([0x16], false),
            ([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], false),
            // Lengths past the end, up to the largest.
            ([0x0a, 0x01], false), ([0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], false),
            ([0x19, 1, 2, 3], false), ([0x25, 1], false),
        ] as [([UInt8], Bool)]
    )
    func unknownFieldsAreReadPastOrRefused(_ bytes: [UInt8], _ isMessage: Bool) {
        #expect(((try? QueriedRequest.read(bytes)) != nil) == isMessage)
        #expect(((try? Envoy_Service_Auth_V3_CheckRequest(serializedBytes: bytes)) != nil) == isMessage)
    }

    @Test func depthOfGroupsIsBounded() {
        let deep = [UInt8](repeating: 0x1b, count: 50_000) + [UInt8](repeating: 0x1c, count: 50_000)
        #expect(throws: ProtobufMalformed.self) { try QueriedRequest.read(deep) }
    }

    @Test func textThatIsNotUTF8IsRefused() throws {
        let method: [UInt8] = [0x0a, 0x06, 0x22, 0x04, 0x12, 0x02, 0x12, 0x00]
        #expect(throws: Never.self) { try QueriedRequest.read(method) }
        let invalid: [UInt8] = [0x0a, 0x07, 0x22, 0x05, 0x12, 0x03, 0x12, 0x01, 0xff]
        #expect(throws: ProtobufMalformed.self) { try QueriedRequest.read(invalid) }
    }

    private static func message(_ random: inout SplitMix64) -> Envoy_Service_Auth_V3_CheckRequest {
        var message = Envoy_Service_Auth_V3_CheckRequest()
        if Bool.random(using: &random) {
            message.attributes.source.address.socketAddress.address = text(&random)
        }
        message.attributes.request.http.method = text(&random)
        message.attributes.request.http.path = text(&random)
        message.attributes.request.http.host = text(&random)
        message.attributes.request.http.scheme = text(&random)
        message.attributes.request.http.protocol = text(&random)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            if Int.random(in: 0..<4, using: &random) == 0 {
                message.attributes.request.http.headers[text(&random)] = text(&random)
            }
            message.attributes.request.http.headerMap.headers.append(header(&random))
        }
        return message
    }

    private static func header(_ random: inout SplitMix64) -> Envoy_Config_Core_V3_HeaderValue {
        var header = Envoy_Config_Core_V3_HeaderValue()
        header.key = text(&random)
        if Bool.random(using: &random) { header.value = text(&random) }
        if Bool.random(using: &random) { header.rawValue = .init(random.bytes(Int.random(in: 0..<5, using: &random))) }
        return header
    }

    /// Sometimes long enough for a length of two bytes. The letters have no two spellings: to Swift's dictionaries, those
    /// would be one key.
    private static func text(_ random: inout SplitMix64) -> String {
        let length = Int.random(in: 0..<50, using: &random) == 0 ? 200 : Int.random(in: 0..<6, using: &random)
        return String((0..<length).map { _ in "ab:/\u{0}\u{7f}€漢😀".randomElement(using: &random) ?? "a" })
    }

    // MARK: Writing

    @Test func randomRepliesAreReadBack() throws {
        var random = SplitMix64(seed: 0x7772_6974)
        for _ in 0..<1000 {
            let fields = Self.fields(&random)
            let names = fields.map { Self.text($0.name) }
            let granted = CheckReply.granted(
                RequestChanges(set: fields, remove: fields.map(\.name), removeParameters: fields.map(\.value))
            )
            let ok = try Self.read(granted)
            let valid = fields.filter { String(validating: $0.value, as: UTF8.self) != nil }
            let invalid = fields.filter { String(validating: $0.value, as: UTF8.self) == nil }
            #expect(ok.status.code == 0)
            #expect(ok.okResponse.headers.map(\.header.key) == valid.map { Self.text($0.name) })
            #expect(ok.okResponse.headers.map(\.header.value) == valid.map { Self.text($0.value) })
            #expect(ok.okResponse.headers.allSatisfy { $0.appendAction == .overwriteIfExistsOrAdd && !$0.hasAppend })
            #expect(ok.okResponse.headersToRemove == names + invalid.map { Self.text($0.name) })
            #expect(ok.okResponse.queryParametersToRemove == fields.map { Self.text($0.value) })
            let status = Int.random(in: 100...599, using: &random)
            let body = random.bytes(Int.random(in: 0...300, using: &random))
            let denied = try Self.read(.denied(status: status, fields: fields, body: body))
            #expect(denied.status.code == (status == 401 ? 16 : 7))
            #expect(denied.deniedResponse.status.code.rawValue == status)
            #expect(denied.deniedResponse.body == Self.text(body))
            #expect(denied.deniedResponse.headers.map(\.header.key) == valid.map { Self.text($0.name) })
        }
    }

    /// Read by SwiftProtobuf, which would write it in the same bytes.
    private static func read(_ reply: CheckReply) throws -> Envoy_Service_Auth_V3_CheckResponse {
        let written = reply.message
        let response = try Envoy_Service_Auth_V3_CheckResponse(serializedBytes: written)
        let again: [UInt8] = try response.serializedBytes()
        #expect(again == written)
        return response
    }

    private static func fields(_ random: inout SplitMix64) -> [AuthzField] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let name = Array(text(&random).utf8)
            let isText = Int.random(in: 0..<4, using: &random) > 0
            let value = isText ? Array(text(&random).utf8) : random.bytes(3)
            return AuthzField(name: name, value: value)
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
