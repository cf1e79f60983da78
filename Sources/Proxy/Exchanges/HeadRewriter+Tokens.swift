import Authorization
import HTTPCore
import Tenants

/// Takes tokens that do not count out of a request's head.
extension HeadRewriter {
    /// - Parameter sources: The locations of the tokens; all that a location holds is taken out.
    mutating func remove(_ sources: [TokenSource], from request: RoutedRequest, _ bytes: Span<UInt8>) {
        let head = request.head
        var cookies: [String] = []
        var parameters: [String] = []
        for source in sources {
            switch source {
            case .bearer:
                for index in 0..<head.fieldCount where head.fields[index].known == .authorization {
                    replace(head.fields[index].line, with: [])
                }
            case .cookie(let name): cookies.append(name)
            case .query(let name): parameters.append(name)
            case .header(let name): removeHeader(name, head, bytes)
            }
        }
        if !cookies.isEmpty { removeCookies(cookies, head, bytes) }
        if !parameters.isEmpty { removeParameters(parameters, request.target.query, bytes) }
    }

    private mutating func removeHeader(_ name: String, _ head: RequestHead, _ bytes: Span<UInt8>) {
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, equalTo: name) else { continue }
            var kept: [Range<Int>] = []
            if WebSocketProtocols.isName(name) {
                WebSocketProtocols.forEach(bytes, field.value) { _ in
                } other: {
                    kept.append($0)
                }
            }
            replace(field, by: kept, separator: ", ", bytes)
        }
    }

    private mutating func removeCookies(_ names: [String], _ head: RequestHead, _ bytes: Span<UInt8>) {
        for index in 0..<head.fieldCount where head.fields[index].known == .cookie {
            let field = head.fields[index]
            var kept: [Range<Int>] = []
            var isChanged = false
            Cookies.forEach(bytes, field.value) { pair in
                if names.contains(where: { bytes.isEqual(pair.name, to: $0) }) {
                    isChanged = true
                } else {
                    kept.append(bytes.trimmed(pair.whole))
                }
            }
            if isChanged { replace(field, by: kept, separator: "; ", bytes) }
        }
    }

    /// The value becomes those parts of it; without any the field goes.
    private mutating func replace(
        _ field: HeadField,
        by kept: [Range<Int>],
        separator: StaticString,
        _ bytes: Span<UInt8>
    ) {
        guard !kept.isEmpty else { return replace(field.line, with: []) }
        var value: [UInt8] = []
        for part in kept {
            if !value.isEmpty { value.append(separator) }
            value += bytes.copy(part)
        }
        replace(field.value, with: value)
    }

    private mutating func removeParameters(_ names: [String], _ query: Range<Int>, _ bytes: Span<UInt8>) {
        guard !query.isEmpty else { return }
        var kept: [UInt8] = []
        QueryParameters.forEach(bytes, query) { parameter in
            guard !names.contains(where: { QueryParameters.isName(bytes, parameter.name, $0) }) else { return }
            kept.append(kept.isEmpty ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            kept += bytes.copy(parameter.whole)
        }
        replace(query, with: kept)
    }
}
