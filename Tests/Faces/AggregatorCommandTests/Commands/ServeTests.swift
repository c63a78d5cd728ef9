import AggregatorCore
import Platform
import Testing

/// `serve` as a process: what it refuses, and how it ends.
@Suite("serve", .timeLimit(.minutes(30))) struct ServeTests {
  private func serve(_ options: String, _ environment: [String: String] = [:], in folder: String = "/") async throws -> Binary.Outcome {
    try await InProcess.run(["serve"] + options.split(separator: " ").map(String.init), environment: environment, in: folder)
  }

  /// Starts a server, and returns it with the line by which it says that it listens.
  private func started(
    _ options: String, _ environment: [String: String] = [:], in folder: String = "/", lines: Int = 1
  ) throws -> (server: Spawned, line: String) {
    let pipe = try #require(Pipe())
    let server = try Binary.start(
      ["serve"] + options.split(separator: " ").map(String.init), environment: environment, in: folder,
      errors: pipe.writing)
    close(pipe.writing)
    defer { close(pipe.reading) }
    var (line, byte, left) = ([UInt8](), UInt8(0), lines)
    while withUnsafeMutableBytes(of: &byte, { Descriptor.read(pipe.reading, into: $0) }) == 1 {
      if byte == UInt8(ascii: "\n") { left -= 1 }
      if left == 0 { break }
      line.append(byte)
    }
    return (server, String(decoding: line, as: UTF8.self))
  }

  @Test(
    "what makes no sense is refused before anything listens",
    arguments: [
      ("--port x", 64, "--port must be a whole number from 0 to 65535"), ("--port 65536", 64, "0 to 65535"),
      ("--port -1", 64, "0 to 65535"), ("--port 1 --socket a", 64, "cannot be used together"),
      ("--open --socket a", 64, "cannot be used together"), ("--cors *", 64, "origin"),
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

  /// A browser that says what it was given, and then lives on until it is told to end.
  private static let browser = """
    #!/bin/sh
    exec 3<>end
    kill -0 -$$ && group=own
    for stream in 0 1 2; do [ /dev/fd/$stream -ef /dev/null ] && streams=$streams$stream; done
    echo "$# $1 $group $streams [$AGGREGATOR_TOKEN$COMIC_VINE_API_KEY]" >said
    read -r _ <&3
    """

  @Test("--open gives the address to the browser, which runs apart", arguments: ["a name", "a path", "the desktop's"])
  func opensBrowsers(way: String) throws {
    let folder = try Folder.fresh()
    let name = way == "the desktop's" ? Self.opener : "my browser"
    try Folder.write(Self.browser, to: "\(folder)/\(name)")
    chmod("\(folder)/\(name)", 0o700)
    for pipe in ["said", "end"] { mkfifo("\(folder)/\(pipe)", 0o600) }
    let said = open("\(folder)/said", O_RDWR)
    defer { close(said) }
    let browser = way == "the desktop's" ? "" : way == "a path" ? "./my browser" : "my browser"
    let environment = [
      "PATH": "\(folder):/usr/bin:/bin", "BROWSER": browser, "AGGREGATOR_TOKEN": "0123456789abcdef", "COMIC_VINE_API_KEY": "secret",
    ]
    let (server, line) = try started("--port 0 --bind 0.0.0.0 --open", environment, in: folder)
    try #require(Descriptor.ready([(said, POLLIN)], within: 900_000) == [true])
    let port = try #require(line.split(separator: ":").last?.prefix { $0.isNumber })
    #expect(Piped.read(said) == "1 http://127.0.0.1:\(port)/ own 012 []\n")
    server.send(SIGINT)
    #expect(server.wait() == 0)
    // A pipe that is read by no process cannot be opened so.
    let end = open("\(folder)/end", O_WRONLY | O_NONBLOCK)
    #expect(end >= 0)
    Descriptor.write("\n", to: end)
    close(end)
  }

  #if canImport(Darwin)
    private static let opener = "open"
  #else
    private static let opener = "xdg-open"
  #endif

  @Test(
    "--open without a browser says where the page is, and serves",
    arguments: [
      ([:], "no browser found; set BROWSER, or open http://127.0.0.1:"),
      (["BROWSER": "/nowhere/b"], "cannot run the browser \"/nowhere/b\"; open http"),
    ])
  func lacksBrowsers(environment: [String: String], words: String) throws {
    let (server, lines) = try started("--port 0 --open", environment + ["PATH": "/nowhere"], lines: 2)
    #expect(lines.contains(words), "\(lines)")
    server.send(SIGTERM)
    #expect(server.wait() == 0)
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
