package import HTTPCore

extension HeaderField {
    /// As HTTP/1.1 has it, without its CRLF.
    package var line: String { "\(name): \(String(decoding: value, as: UTF8.self))" }
}
