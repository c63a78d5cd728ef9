import AggregatorCore
import Platform
import Testing

/// `serve` as a process: what it refuses, and how it ends.
@Suite("serve", .timeLimit(.minutes(30))) struct ServeTests {
  private func serve(_ options: String, _ environment: [String: String] = [:], in folder: String = "/") async throws -> Binary.Outcome {
    try await InProcess.run(["serve"] + options.split(separator: " ").map(String.init), environment: environment, in: folder)
  }

  /// Starts a server, and returns it with the line by which it says that it listens.
  private func started(_ options: String, in folder: String = "/") throws -> (server: Spawned, line: String) {
    let pipe = try #require(Pipe())
    let server = try Binary.start(
      ["serve"] + options.split(separator: " ").map(String.init), environment: [:], in: folder, errors: pipe.writing)
    close(pipe.writing)
    defer { close(pipe.reading) }
    var (line, byte) = ([UInt8](), UInt8(0))
    while withUnsafeMutableBytes(of: &byte, { Descriptor.read(pipe.reading, into: $0) }) == 1, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    return (server, String(decoding: line, as: UTF8.self))
  }

  @Test(
    "what makes no sense is refused before anything listens",
    arguments: [
      ("--port x", 64, "--port must be a whole number from 0 to 65535"), ("--port 65536", 64, "0 to 65535"),
      ("--port -1", 64, "0 to 65535"), ("--port 1 --socket a", 64, "cannot be used together"), ("--cors *", 64, "origin"),
      ("--cors https://example.com/", 64, "origin"), ("--bind 0.0.0.0 --port 0", 78, "no token is set"),
      ("--bind example.com --port 0", 78, "no token is set"), ("--token-file /nowhere", 78, "cannot read the token"),
      ("--socket /nowhere/a.sock", 69, "cannot listen"), ("--timeout 0", 64, "timeout"),
    ])
  func refuses(options: String, code: Int32, words: String) async throws {
    let outcome = try await serve(options)
    #expect(outcome.code == code && outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test("a token is long enough, comes from a file, the environment or a trusted key file, and is never shown")
  func readsTokens() async throws {
    let folder = try Folder.fresh()
    for text in ["short", "0123456789 abcdef", ""] {
      try Folder.write(text + "\n", to: "\(folder)/token")
      let outcome = try await serve("--port 0 --token-file token", in: folder)
      #expect(outcome.code == 78 && outcome.errors.contains("16 or more") && (text.isEmpty || !outcome.errors.contains(text)))
    }
    #expect(try await serve("--port 0", ["AGGREGATOR_TOKEN": "short"]).code == 78)
    _ = try Binary.shell("mkdir Configuration && echo 'AGGREGATOR_TOKEN = 0123456789abcdef' > Configuration/Debug.xcconfig", in: folder)
    let found = try await serve("--port 0", in: folder)
    #expect(found.code == 78 && found.errors.contains("key file found in the working directory"))
    #expect(!found.errors.contains("0123456789abcdef"))
  }

  @Test("a port that is taken is an error that names a free one")
  func namesFreePorts() async throws {
    let (first, line) = try started("--port 0")
    let port = try #require(line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) })
    let second = try await serve("--port \(port)")
    #expect(second.code == 69 && second.errors.contains("in use") && second.errors.contains("try --port "), "\(second.errors)")
    first.send(SIGTERM)
    #expect(first.wait() == 0)
  }

  @Test("a socket in a file serves, and is gone afterwards", arguments: [SIGTERM, SIGINT])
  func servesAtFiles(signal: Int32) async throws {
    let folder = try Folder.fresh()
    let (server, line) = try started("--socket a.sock", in: folder)
    #expect(line.hasSuffix("serving at \(folder)/a.sock"))
    let asked = try Binary.python(
      "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\(folder)/a.sock'); "
        + "s.sendall(b'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n'); print(s.makefile().read())")
    #expect(asked.output.contains("HTTP/1.1 200") && asked.output.contains("ok"))
    server.send(signal)
    #expect(server.wait() == 0)
    #expect(access("\(folder)/a.sock", F_OK) != 0)
  }
}
