import NIOCore
import TestSupport
import Testing

@testable import Redis

@Suite struct RedisCommandTests {
    private static func encoded(_ command: RedisCommand) throws -> [UInt8] {
        var buffer = ByteBuffer()
        try CommandEncoder.encode(command, into: &buffer)
        return Array(buffer.readableBytesView)
    }

    @Test func aCommandIsAnArrayOfBulkStrings() throws {
        let bytes = try Self.encoded(RedisCommand("SET", "key", [0, 13, 10, 255], "", 12, Int64.min, UInt64.max))
        var expected = Array("*7\r\n$3\r\nSET\r\n$3\r\nkey\r\n$4\r\n".utf8) + [0, 13, 10, 255]
        expected += Array("\r\n$0\r\n\r\n$2\r\n12\r\n$20\r\n-9223372036854775808\r\n".utf8)
        expected += Array("$20\r\n18446744073709551615\r\n".utf8)
        #expect(bytes == expected)
    }

    @Test func formatCharactersAreLiteral() throws {
        #expect(
            try Self.encoded(RedisCommand("GET", "%s %b *1\r\n")).suffix(16)
                == Array("$10\r\n%s %b *1\r\n\r\n".utf8).suffix(16)
        )
    }

    @Test func commandsFollowEachOtherInOneBuffer() throws {
        var buffer = ByteBuffer(string: "before")
        try CommandEncoder.encode(RedisCommand("PING"), into: &buffer)
        try CommandEncoder.encode(RedisCommand(""), into: &buffer)
        #expect(String(buffer: buffer) == "before*1\r\n$4\r\nPING\r\n*1\r\n$0\r\n\r\n")
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func anyBytesAreEncodedAsTheyAre(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var command = RedisCommand("NAME")
        let arguments = (0..<20).map { _ in generator.bytes(Int.random(in: 0...200, using: &generator)) }
        command.append(contentsOf: arguments)
        let reply = RedisReply.array([.string(Array("NAME".utf8))] + arguments.map { .string($0) })
        #expect(try Self.encoded(command) == RESPWriter.bytes(reply))
    }

    @Test func aScriptIsNamedBySourceKeysAndArguments() {
        let command = RedisScript("return 1").command(keys: ["a", "b"], arguments: [[1, 2], "c", 3])
        #expect(command == RedisCommand("EVAL", "return 1", "2", "a", "b", [1, 2], "c", "3"))
    }

    @Test func nothingSecretShowsInDescriptions() {
        let secret = "tops3cret"
        var configuration = RedisConfiguration(servers: .direct([RedisAddress(host: "::1")]))
        configuration.credentials = RedisCredentials(user: "gate", password: RedisPassword(secret))
        let numbers = Array(secret.utf8).map(String.init).joined(separator: ", ")
        let command = RedisCommand("AUTH", "gate", secret)
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [
            "\(configuration)", String(reflecting: configuration), "\(command)", String(reflecting: command), dumped,
        ] {
            #expect(!text.contains(secret) && !text.contains(numbers))
        }
        #expect("\(configuration)".contains("gate") && "\(command)".contains("AUTH"))
    }

    @Test func addressesOfVersion6AreBracketed() {
        #expect("\(RedisAddress(host: "::1", port: 1))" == "[::1]:1")
        #expect("\(RedisAddress(host: "redis.test"))" == "redis.test:6379")
    }
}
