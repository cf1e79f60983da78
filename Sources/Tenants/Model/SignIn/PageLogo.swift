import Verification

/// A picture on the hosted pages, which has it in itself: nothing is loaded for it.
public struct PageLogo: Sendable, Equatable {
    /// Bytes of the largest file.
    public static let maximumLength = 32 << 10

    /// As in a page (RFC 2397).
    public let dataURL: String

    /// - Parameter file: Its type is told by its content. An SVG is a picture in a page, and runs no script.
    /// - Returns: Nil for what is no PNG, JPEG, WebP or SVG.
    init?(_ file: [UInt8]) {
        guard let type = MediaType(file) else { return nil }
        dataURL = "data:\(type.rawValue);base64,\(StandardBase64.encode(file))"
    }

    private enum MediaType: String {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webP = "image/webp"
        case svg = "image/svg+xml"

        init?(_ file: [UInt8]) {
            if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                self = .png
            } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
                self = .jpeg
            } else if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) {
                self = .webP
            } else if Self.isSVG(file) {
                self = .svg
            } else {
                return nil
            }
        }

        /// Whether it is XML in UTF-8 with an `svg` element, before which comments and declarations may stand.
        private static func isSVG(_ file: [UInt8]) -> Bool {
            guard let text = String(validating: file, as: UTF8.self) else { return false }
            let start = text.unicodeScalars.first { $0 != "\u{FEFF}" && !$0.properties.isWhitespace }
            let element = Array("<svg".utf8)
            return start == "<" && file.indices.contains { file[$0...].starts(with: element) }
        }
    }
}
