/// How one of several servers is chosen.
enum BalanceMethod: Equatable {
    /// In turn, as often as their weights say, the turns of each spread out evenly.
    case roundRobin
    /// The less busy of two that are drawn by weight. Always taking the least busy of all would send every loop to the
    /// same server at once, and a server that fails fast would draw all requests to itself.
    case leastRequests
    /// By a key: requests with the same key go to the same server as long as it is there.
    case hash
}
