package import NIOCore
package import Tenants

/// How the names of servers become addresses, and for how long they are believed.
package struct ServerNames: Sendable {
    /// Finds the addresses of a name, none if there are none; it may block.
    package typealias LookUp = @Sendable (HostPort) -> [SocketAddress]

    package var lookUp: LookUp
    /// Most resolvers keep answers themselves, for as long as their time to live says; so the system's is asked often.
    package var freshFor: TimeAmount

    package init(lookUp: @escaping LookUp, freshFor: TimeAmount) {
        self.lookUp = lookUp
        self.freshFor = freshFor
    }

    /// The system's resolver.
    package static let system = ServerNames(lookUp: ServerAddresses.addresses, freshFor: .seconds(30))
}
