import CommandSupport
import Tenants

/// One compact token from standard input, where other users cannot see it.
enum TokenInput {
    /// Longer than any token, and less than the gateway accepts as a body.
    private static let maximumBytes = 32 << 10

    static func read() throws -> String {
        guard let input = Terminal.readInput(upTo: maximumBytes) else {
            throw CommandFailure("standard input is longer than 32 KiB; give one compact token")
        }
        let token = input.withoutTrailingNewline
        guard !token.isEmpty else { throw CommandFailure("standard input is empty; give one compact token") }
        guard token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure("standard input is not one compact token on one line")
        }
        return String(decoding: token, as: UTF8.self)
    }
}
