/// How a server is chosen among several.
enum BalanceMethod: Equatable {
    /// In turn, in proportion to their weights, each server's turns spread out evenly.
    case roundRobin
    /// The less busy of two that are drawn by weight. Always taking the least busy of all would send every loop to the
    /// same server at once, and a server that fails fast would attract all requests.
    case leastRequests
    /// By a key: requests with the same key go to the same server while it is available.
    case hash
}
