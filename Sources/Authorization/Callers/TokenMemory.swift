/// The entry of a connection's last token. A client sends the same one with each request, and comparing it costs less
/// than hashing it to find it again.
package final class TokenMemory {
    package var last: TokenCache.Entry?

    package init() {}
}
