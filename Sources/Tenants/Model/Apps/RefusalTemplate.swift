import Verification

/// The body of refusals, with places to be filled in. It is taken apart once, when the configuration is read: filling it
/// copies bytes.
public struct RefusalTemplate: Sendable, Equatable {
    /// Bytes of the longest template.
    public static let maximumLength = 64 << 10

    /// What values are escaped for.
    public enum Format: Sendable {
        /// Inside of a string (RFC 8259 section 7).
        case json
        /// In an element or in a quoted attribute.
        case html
    }

    public enum Placeholder: String, Sendable, CaseIterable {
        case code, title, detail, status
        case requestID = "request_id"
        /// Empty unless the app is to be updated.
        case upgradeURL = "upgrade_url"
    }

    /// What the places are filled with.
    public struct Values: Sendable {
        public var code: String
        public var title: String
        public var detail: String
        public var status: Int
        public var requestID: String
        public var upgradeURL: String

        public init(
            code: String,
            title: String,
            detail: String,
            status: Int,
            requestID: String,
            upgradeURL: String = ""
        ) {
            self.code = code
            self.title = title
            self.detail = detail
            self.status = status
            self.requestID = requestID
            self.upgradeURL = upgradeURL
        }
    }

    /// Why a text is no template.
    enum Fault: Error, Equatable {
        /// - Parameter at: The index of its brace.
        case unknownPlaceholder(String, at: Int)
    }

    private enum Piece: Sendable, Equatable {
        case text([UInt8])
        case placeholder(Placeholder)
    }

    public let format: Format
    private let pieces: [Piece]
    private let textLength: Int

    /// - Parameter text: `{name}` is a placeholder, where the name has small letters and `_` alone. Every other brace
    ///   stands for itself.
    init(_ text: [UInt8], _ format: Format) throws(Fault) {
        var pieces: [Piece] = []
        var start = 0
        var position = 0
        while position < text.count {
            guard text[position] == UInt8(ascii: "{"), let end = Self.endOfName(text, after: position) else {
                position += 1
                continue
            }
            let name = String(decoding: text[(position + 1)..<end], as: UTF8.self)
            guard let placeholder = Placeholder(rawValue: name) else { throw .unknownPlaceholder(name, at: position) }
            if position > start { pieces.append(.text(Array(text[start..<position]))) }
            pieces.append(.placeholder(placeholder))
            position = end + 1
            start = position
        }
        if start < text.count { pieces.append(.text(Array(text[start...]))) }
        self.format = format
        self.pieces = pieces
        textLength = text.count
    }

    /// The index of the closing brace.
    private static func endOfName(_ text: [UInt8], after brace: Int) -> Int? {
        var end = brace + 1
        while end < text.count {
            switch text[end] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): end += 1
            case UInt8(ascii: "}"): return end > brace + 1 ? end : nil
            default: return nil
            }
        }
        return nil
    }

    public func filled(with values: Values) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(textLength + values.title.utf8.count + values.detail.utf8.count + 256)
        for piece in pieces {
            switch piece {
            case .text(let text): body += text
            case .placeholder(let placeholder): append(values.text(of: placeholder), to: &body)
            }
        }
        return body
    }

    private func append(_ text: String, to body: inout [UInt8]) {
        switch format {
        case .json: JSONText.escape(text, into: &body)
        case .html: body += HTMLEscaping.escaped(text).utf8
        }
    }
}

extension RefusalTemplate.Values {
    fileprivate func text(of placeholder: RefusalTemplate.Placeholder) -> String {
        switch placeholder {
        case .code: code
        case .title: title
        case .detail: detail
        case .status: String(status)
        case .requestID: requestID
        case .upgradeURL: upgradeURL
        }
    }
}
