/// The cache entry of a connection's last token. A client sends the same token with each request, and comparing it is
/// cheaper than hashing it.
package final class TokenMemory {
    package var last: TokenCache.Entry?

    package init() {}
}
