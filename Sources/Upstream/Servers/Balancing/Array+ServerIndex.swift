import Tenants

/// An array with one element per server of a backend.
extension Array {
    subscript(server: ServerIndex) -> Element {
        get { self[server.value] }
        // Changes an element in place: a setter would copy it.
        _modify { yield &self[server.value] }
    }

    var serverIndices: Range<ServerIndex> { ServerIndex(0)..<ServerIndex(count) }
}
