/// PEM texts (RFC 7468) from variables of the environment.
enum EnvironmentPEM {
    /// The text with its line ends, which many tools that set variables write as `\n`: a backslash and a letter. No PEM
    /// has a backslash otherwise.
    static func bytes(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var isEscaped = false
        for byte in text {
            switch (isEscaped, byte) {
            case (true, UInt8(ascii: "n")):
                bytes.append(UInt8(ascii: "\n"))
                isEscaped = false
            case (true, UInt8(ascii: "r")): isEscaped = false
            case (true, _):
                bytes += [UInt8(ascii: "\\"), byte]
                isEscaped = false
            case (false, UInt8(ascii: "\\")): isEscaped = true
            case (false, _): bytes.append(byte)
            }
        }
        return isEscaped ? bytes + [UInt8(ascii: "\\")] : bytes
    }
}
