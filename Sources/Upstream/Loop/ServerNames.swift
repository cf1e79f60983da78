package import NIOCore
package import Tenants

/// How server names are resolved, and how long the result is used.
package struct ServerNames: Sendable {
    /// Finds the addresses of a name, none if there are none; it may block.
    package typealias LookUp = @Sendable (HostPort) -> [SocketAddress]

    package var lookUp: LookUp
    /// Kept short: most resolvers cache answers themselves, for their time to live.
    package var freshFor: TimeAmount

    package init(lookUp: @escaping LookUp, freshFor: TimeAmount) {
        self.lookUp = lookUp
        self.freshFor = freshFor
    }

    /// The system's resolver.
    package static let system = ServerNames(lookUp: ServerAddresses.addresses, freshFor: .seconds(30))
}
