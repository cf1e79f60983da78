import Foundation
import Tenants
import Testing
import Verification

/// What reading a key file anew gives while the gateway runs.
struct KeyFileSourceTests {
    private static func problem(
        _ kind: KeyFileSource.Kind,
        _ path: String,
        _ algorithms: [SignatureAlgorithm],
        _ files: [String: String]
    ) -> String? {
        do throws(KeyFileProblem) {
            _ = try KeyFileSource(kind: kind, path: path, algorithms: algorithms).load(from: PretendFiles(files))
            return nil
        } catch {
            #expect(error.path == path)
            return error.description
        }
    }

    @Test func changedFileHasNewKeys() throws {
        let source = KeyFileSource(kind: .publicKey, path: "a.pem", algorithms: [.es256])
        let (old, new) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let first = try source.load(from: PretendFiles(["a.pem": try #require(old.publicKeyPEM)]))
        let second = try source.load(from: PretendFiles(["a.pem": try #require(new.publicKeyPEM)]))
        #expect(first.keys.count == 1 && second.keys.count == 1)
        #expect(first != second)
    }

    @Test func newlineAfterASecretIsDropped() throws {
        let source = KeyFileSource(kind: .secret, path: "a", algorithms: [.hs256])
        let plain = try source.load(from: PretendFiles(["a": Sample.secret]))
        #expect(try source.load(from: PretendFiles(["a": Sample.secret + "\n"])) == plain)
        #expect(try source.load(from: PretendFiles(["a": Sample.secret + "\r\n"])) == plain)
        #expect(try source.load(from: PretendFiles(["a": Sample.secret + "\n\n"])) != plain)
    }

    @Test func errorIsOneLineWithTheFile() throws {
        #expect(
            Self.problem(.keySet, "k/a.json", [.rs256], [:]) == "\"k/a.json\" cannot be read: no such file or directory"
        )
        #expect(
            Self.problem(.keySet, "a.json", [.rs256], ["a.json": "canary"])
                == "\"a.json\" has no key that can be used: the key set is not strict JSON"
        )
        #expect(
            Self.problem(.publicKey, "a.pem", [.rs256], ["a.pem": "canary"])
                == "\"a.pem\" has no key that can be used: no PEM block of a supported key"
        )
        #expect(
            Self.problem(.secret, "a", [.hs256], ["a": "canary"])
                == "\"a\" has 6 bytes, HS256 needs at least 32 (RFC 7518 section 3.2): "
                + "generate one with \"openssl rand -base64 48\""
        )
        #expect(
            Self.problem(.secret, "a", [.hs256], ["a": "\n"])
                == "\"a\" is empty: generate one with \"openssl rand -base64 48\""
        )
    }

    @Test func everyAlgorithmNeedsAKey() throws {
        let jwk = try #require(try SigningKey.generate(.p256).publicJWK())
        let files = ["a": JSONWriter.text(of: .object(jwk))]
        #expect(Self.problem(.keySet, "a", [.es256], files) == nil)
        #expect(
            Self.problem(.keySet, "a", [.es256, .rs256, .ps256], files)
                == "\"a\" has no key for RS256: leave the algorithm out, or add its key; "
                + "\"a\" has no key for PS256: leave the algorithm out, or add its key"
        )
    }

    @Test func errorOfADirectoryNamesItsFiles() throws {
        #expect(
            Self.problem(
                .directory,
                "keys",
                [.es256],
                ["keys/a.jwk": "canary", "keys/b.pem": "canary", "keys/c.txt": ""]
            )
                == "\"keys\" holds \"a.jwk\": no JWK and no JWK Set; \"keys\" holds \"b.pem\": no private key in PEM "
                + "that can be used; beside other keys give a public key as a .jwk file"
        )
        let rsa = try #require(try SigningKey.generate(.rsa(bits: 2048)).privateKeyPEM)
        #expect(
            Self.problem(.directory, "keys", [.es256], ["keys/a.pem": rsa])
                == "\"keys\" has no key for ES256: add one, or change \"algorithm\""
        )
    }

    @Test func missingDirectoryHasNoKeys() throws {
        let source = KeyFileSource(kind: .directory, path: "keys", algorithms: [.es256])
        #expect(try source.load(from: PretendFiles()) == .empty)
        #expect(try source.load(from: PretendFiles(["keys/README": ""])) == .empty)
    }

    @Test func directoryAndItsKeyFilesAreWatched() {
        let files = PretendFiles(["keys/b.pem": "", "keys/a.jwk": "", "keys/README": "", "keys/.a.pem": ""])
        let source = KeyFileSource(kind: .directory, path: "keys", algorithms: [.es256])
        #expect(source.watchedPaths(in: files) == ["keys", "keys/a.jwk", "keys/b.pem"])
        #expect(source.watchedPaths(in: PretendFiles()) == ["keys"])
        let file = KeyFileSource(kind: .keySet, path: "keys/a.jwk", algorithms: [.es256])
        #expect(file.watchedPaths(in: files) == ["keys/a.jwk"])
    }

    @Test func theRealDiskIsReadByDefault() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let source = KeyFileSource(kind: .directory, path: directory.path, algorithms: [.es256])
        #expect(try source.load() == .empty)
        let pem = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        try Data(pem.utf8).write(to: directory.appendingPathComponent("first.pem"))
        #expect(try source.load().keys.map(\.keyID) == ["first"])
        #expect(source.watchedPaths() == [directory.path, directory.path + "/first.pem"])
    }
}
