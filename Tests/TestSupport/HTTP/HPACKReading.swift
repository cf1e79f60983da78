import NIOCore

@testable package import HTTPCore

/// A field as text, one character a byte.
package struct HPACKField: Hashable, CustomStringConvertible {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package var description: String { "\(name): \(value)" }
}

extension HeaderList {
    package init(_ fields: [HPACKField]) {
        self.init()
        reset(maximumSize: 1 << 20, maximumFields: 10_000)
        for field in fields {
            copy(Array(field.name.utf8).span, at: 0)
            copy(Array(field.value.utf8).span, at: field.name.utf8.count + 2)
            commit(nameLength: field.name.utf8.count, valueLength: field.value.utf8.count)
        }
    }

    package var texts: [HPACKField] {
        fields.map {
            HPACKField(
                String(decoding: bytes[$0.name], as: UTF8.self),
                String(decoding: bytes[$0.value], as: UTF8.self)
            )
        }
    }
}

extension HPACKDecoder {
    package mutating func fields(
        of block: [UInt8],
        maximumSize: Int = 1 << 20,
        maximumFields: Int = 10_000
    ) throws(HPACKFailure) -> [HPACKField] {
        var list = HeaderList()
        list.reset(maximumSize: maximumSize, maximumFields: maximumFields)
        try decode(block.span, into: &list)
        return list.texts
    }

    package mutating func failure(of block: [UInt8]) -> HPACKFailure? {
        do throws(HPACKFailure) {
            _ = try fields(of: block)
            return nil
        } catch {
            return error
        }
    }
}

extension HPACKEncoder {
    package mutating func block(_ fields: [HPACKField], indexing: Indexing = .incremental) -> [UInt8] {
        var out = ByteBuffer()
        beginBlock(to: &out)
        for field in fields {
            encode(name: Array(field.name.utf8).span, value: Array(field.value.utf8).span, indexing: indexing, to: &out)
        }
        return Array(out.readableBytesView)
    }
}

/// Bytes written as hexadecimal digits, white space between them left out.
package func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap(\.hexValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
