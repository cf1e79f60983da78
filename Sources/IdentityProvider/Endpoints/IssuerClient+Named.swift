import Tenants

extension [IssuerClient] {
    /// The client with this `client_id`, byte for byte.
    func named(_ id: String) -> IssuerClient? { first { $0.id.utf8.elementsEqual(id.utf8) } }
}
