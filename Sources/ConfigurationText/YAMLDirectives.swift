/// Lines that begin with `%`. libyaml compares each directive with all before it, so that a megabyte of them takes it
/// seconds; no file of ours needs one.
enum YAMLDirectives {
    static let most = 16

    /// - Parameter bytes: UTF-8.
    /// - Returns: The line, from 1, of the first that is too many; nil if there are not as many.
    static func firstTooMany(in bytes: [UInt8]) -> Int? {
        var (line, count, index) = (1, 0, 0)
        var isStart = true
        while index < bytes.count {
            if isStart, bytes[index] == UInt8(ascii: "%") {
                count += 1
                if count > most { return line }
            }
            let length = lengthOfBreak(bytes[index...])
            isStart = length > 0
            if isStart { line += 1 }
            index += max(length, 1)
        }
        return nil
    }

    /// Bytes of the line break at the start, of those that YAML 1.1 has; 0 if there is none.
    private static func lengthOfBreak(_ bytes: ArraySlice<UInt8>) -> Int {
        switch bytes.first {
        case 0x0a: 1
        case 0x0d: bytes.dropFirst().first == 0x0a ? 2 : 1
        case 0xc2: bytes.dropFirst().first == 0x85 ? 2 : 0
        case 0xe2: bytes.starts(with: [0xe2, 0x80, 0xa8]) || bytes.starts(with: [0xe2, 0x80, 0xa9]) ? 3 : 0
        default: 0
        }
    }
}
