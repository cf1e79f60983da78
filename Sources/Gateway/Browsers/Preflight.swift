/// The answer to a browser that asks whether a script of another origin may send a request (Fetch standard section
/// 4.8). It never reaches the backend.
struct Preflight {
    /// Fields of the 204, each with its CRLF.
    var lines: [UInt8]
}
