import Foundation
import Glibc
import TestSupport

/// The receiving end of a Unix socket for datagrams, which is read all the time.
struct DatagramSocket: Sendable {
    struct Failure: Error {
        var code = errno
    }

    let path: String
    /// The lines of each datagram.
    let received: Mailbox<[String]>
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        received = Mailbox("a datagram at \(path)")
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure() }
        self.descriptor = descriptor
        let bytes = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + Array(path.utf8) + [0]
        let bound = bytes.withUnsafeBytes { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return bind(descriptor, address, socklen_t(bytes.count))
        }
        guard bound == 0 else { throw Failure() }
        let received = received
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                received.put(String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init))
            }
            received.finish(EndOfStream())
            _ = Glibc.close(descriptor)
        }
    }

    /// Ends the reading; a close alone would not wake the thread.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
