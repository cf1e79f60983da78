import HTTPCore
import Tenants

extension RoutedRequest {
    /// Calls `body` with the pieces of the query, of which the first begins with `?`; with none if nothing is left of it.
    ///
    /// - Parameter withoutTokens: Whether to leave out parameters that may hold tokens.
    package func forEachPieceOfQuery(
        _ bytes: Span<UInt8>,
        withoutTokens: Bool,
        _ body: (Span<UInt8>) -> Void
    ) {
        guard !target.query.isEmpty else { return }
        guard withoutTokens else { return body(bytes.extracting(target.query)) }
        let separators: [UInt8] = [UInt8(ascii: "?"), UInt8(ascii: "&")]
        var isFirst = true
        QueryParameters.forEach(bytes, target.query) { parameter in
            let holdsToken = tenant.tenant.authenticate.from.contains { source in
                guard case .query(let name) = source else { return false }
                return QueryParameters.isName(bytes, parameter.name, name)
            }
            guard !holdsToken else { return }
            body(separators.span.extracting(isFirst ? 0..<1 : 1..<2))
            body(bytes.extracting(parameter.whole))
            isFirst = false
        }
    }
}
