import AggregatorCore
import Platform
import SourceTesting
import Testing

/// Keys that `add` takes, asks for and keeps.
extension AddCommandTests {
  @Test("add keeps a key in the key file, and replaces no key")
  func keys() async throws {
    let line = "add \(try address) things --yes --key header:X-Key"
    #expect(try await run(line, input: "").code == 64)
    let added = try await run(line, input: "s3cret-of-ada\nanother line\n")
    #expect(added.code == 0 && added.errors.contains("saved THINGS_API_KEY"), "\(added.errors)")
    #expect(try Folder.read("\(own)/aggregator.xcconfig").contains("THINGS_API_KEY = s3cret-of-ada"))
    for name in try SystemFiles().list("\(own)/sources") {
      #expect(try !Folder.read("\(own)/sources/\(name)").contains("s3cret"))
    }
    #expect(try await run("things list -n 1 --live").code == 0)
    #expect(try await run("remove things").code == 0)
    #expect(!added.errors.contains("characters"))
    let short = try await run("add \(try address) brief --yes --key header:X-Key", input: "k3y\n")
    #expect(short.errors.contains("BRIEF_API_KEY has fewer than 6 characters, so it is masked in recordings alone"), "\(short.errors)")
    let again = try await run(line, input: "other\n")
    #expect(again.code == 78 && again.errors.contains("THINGS_API_KEY has a value already"))
    #expect(try Folder.read("\(own)/aggregator.xcconfig").contains("s3cret-of-ada"))
  }

  @Test("add says what to type about a bearer token that is renewed by design, and --rotates writes it into the manifest")
  func rotates() async throws {
    let line = "add \(try address) things --key header:Authorization=Bearer"
    let rotates = #"{"setting": "THINGS_TOKEN", "header": "Authorization", "scheme": "Bearer", "rotates": true}"#
    for words in ["", " --yes"] {
      let told = try await run(line + words, input: "s3cret-of-ada\n").errors
      #expect(try !Folder.read("\(own)/sources/things.json").contains("rotates"))
      let start = try #require(told.firstRange(of: "if THINGS_TOKEN changes by design, type 'aggregator "), "\(told)").upperBound
      let typed = String(told[start...].prefix { $0 != "'" })
      #expect(told[start...].dropFirst(typed.count).hasPrefix("' and add the source again with --rotates\n"), "\(told)")
      #expect(try await run(typed).code == 0)
    }
    let added = try await run("\(line) --rotates", input: "s3cret-of-ada\n")
    #expect(added.code == 0 && !added.errors.contains("changes by design"), "\(added.errors)")
    #expect(try Folder.read("\(own)/sources/things.json").contains(rotates))
    #expect(try await run("things sync").code == 0)
    // Another key may rotate too, and nothing is asked about it.
    let other = try await run("add \(address) others --key query:key", input: "s3cret-of-ada\n")
    #expect(other.code == 0 && !other.errors.contains("by design"), "\(other.errors)")
    #expect(try await run("add \(address) cookies --key header:Cookie --rotates", input: "s3cret-of-ada\n").code == 0)
    #expect(try Folder.read("\(own)/sources/cookies.json").contains(#""header": "Cookie", "rotates": true}"#))
    let keyless = try await run("add \(server.address("/ports")) ports --rotates --yes")
    #expect(keyless.code == 0 && keyless.errors.contains("--rotates is not used: ports has no key"), "\(keyless.errors)")
  }

  @Test("add asks at a terminal whether a bearer token is renewed by design", arguments: [("y", true), ("", false)])
  func renewed(answer: String, rotates: Bool) async throws {
    let line = "curl '\(try address)' -H 'Authorization: Bearer s3cret-of-ada'"
    let terminal = try Terminal("add", line, "things", columns: 200, environment: environment)
    try terminal.waitFor("THINGS_TOKEN is a bearer token. Is it renewed by design, as those of OAuth are? [y/N]")
    terminal.type("\(answer)\n")
    #expect(terminal.wait() == 0 && !terminal.shown.contains("--rotates"), "\(terminal.shown)")
    #expect(try Folder.read("\(own)/sources/things.json").contains("rotates") == rotates)
  }

  /// The files below the home that contain the text, except the key file.
  private func files(with text: String) throws -> [String] {
    try Binary.shell("grep -rlaF --exclude='*.xcconfig' -e '\(text)' . || true", in: home).lines
  }

  @Test("add sends a key in place of a user's name as curl does, and keeps it as a secret", arguments: ["", "curl "])
  func user(program: String) async throws {
    let address = try address.replacing("http://", with: "http://k3y-of-ada@")
    let added = try await run("add '\(program)\(address)' things --yes")
    #expect(added.code == 0, "\(added.errors)")
    let sent = "Basic \(Base64.encode("k3y-of-ada:".utf8))"
    #expect(server.requests.allSatisfy { $0["authorization"] == sent })
    #expect(try Folder.read("\(own)/aggregator.xcconfig").contains("THINGS_API_KEY = "))
    #expect(try await run("things list -n 1 --live --explain").code == 0 && server.requests.last?["authorization"] == sent)
    for text in [added.output, added.errors] { #expect(!text.contains("k3y-of-ada") && !text.contains(sent)) }
    #expect(try files(with: "k3y-of-ada") == [] && files(with: sent) == [])
  }

  @Test("add asks for the password of curl's user at a terminal, hidden, and shows neither name nor password")
  func password() async throws {
    let line = "curl -u k3y-of-ada \(try address)"
    for words in ["add '\(line)' things --yes", "add - things --yes"] {
      let refused = try await run(words, input: words.contains(" - ") ? "\(line)\n" : "")
      #expect(refused.code == 64, "\(refused.errors)")
      #expect(refused.errors.contains("-u NAME:PASSWORD") && !refused.errors.contains("k3y-of-ada"), "\(refused.errors)")
    }
    #expect(server.requests.isEmpty)
    let terminal = try Terminal("add", line, "things", "--yes", columns: 100, environment: environment)
    try terminal.waitFor("password of the user in the line for curl (hidden")
    terminal.type("p4ssw0rd-of-ada\n")
    #expect(terminal.wait() == 0, "\(terminal.shown)")
    #expect(server.requests.last?["authorization"] == "Basic \(Base64.encode("k3y-of-ada:p4ssw0rd-of-ada".utf8))")
    #expect(!terminal.shown.contains("k3y-of-ada") && !terminal.shown.contains("p4ssw0rd"), "\(terminal.shown)")
    #expect(try files(with: "k3y-of-ada") == [] && files(with: "p4ssw0rd") == [])
  }

  @Test(
    "add refuses a reserved or invalid header name for a key, and prints no control characters of it",
    arguments: [
      "Host", "content-length", "Transfer-Encoding", "CONNECTION", "TE", "Expect", "Upgrade", "trailer", "Keep-Alive",
      "Proxy-Authorization",
      "proxy-connection", "Accept-Encoding", "X\r\nEvil", "X Y", "X:", "é", "X\u{1B}[31m",
    ])
  func header(name: String) async throws {
    let outcome = try await InProcess.run(
      ["add", address, "things", "--yes", "--key", "header:\(name)"], input: "secret\n", environment: environment, in: home)
    #expect(outcome.code == 64 && server.requests.isEmpty, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("aggregator: --key "), "\(outcome.errors)")
    #expect(!outcome.errors.contains("Evil") && !outcome.errors.contains("\u{1B}") && !outcome.errors.contains("\r"))
  }

  @Test(
    "add refuses an invalid user or key before anything is sent, and prints nothing of it",
    arguments: [
      ("basic:ada:Evil", "", 64), ("basic:a\u{7}Evil", "Evil", 64), ("header:X-Key", "Evil\tEvil", 78), ("header:X-Key", "Ev\u{1B}il", 78),
    ])
  func unfit(place: String, input: String, code: Int32) async throws {
    let outcome = try await InProcess.run(
      ["add", address, "things", "--yes", "--key", place], input: "\(input)\n", environment: environment, in: home)
    #expect(outcome.code == code && server.requests.isEmpty, "\(outcome.errors)")
    #expect(!outcome.errors.contains("Evil") && !outcome.errors.contains("\u{7}") && !outcome.errors.contains("\u{1B}"))
  }

  @Test("add refuses a key that is not UTF-8, one that the address has already, and a name of more than 100 letters")
  func refused() async throws {
    let bytes = try Binary.shell(
      "printf '\\200\\377\\n' | $A add '\(address)' things --key header:X-Api-Key --yes", environment: environment, in: home)
    #expect(bytes.code == 78 && bytes.errors.contains("not valid UTF-8"), "\(bytes.errors)")
    for item in ["limit", "api_key"] {
      let twice = try await run("add '\(address)?limit=3&api_key=s3cret-of-ada' things --yes --key query:\(item)", input: "other\n")
      #expect(twice.code == 64 && twice.errors.contains("the address has the item \(item) already"), "\(twice.errors)")
    }
    let name = try await run("add \(address) \(String(repeating: "a", count: 101)) --yes")
    #expect(name.code == 64 && name.errors.contains("at most 100 letters"), "\(name.errors)")
    #expect(server.requests.isEmpty && access("\(own)/sources", F_OK) != 0)
  }

  @Test("add ends with 78 and writes nothing if two headers have the same key")
  func repeated() async throws {
    let line = try "curl '\(address)' -H 'X-Access: s3cret-of-ada' -H 'X-Signature: s3cret-of-ada'"
    let outcome = try await InProcess.run(["add", line, "things", "--yes"], environment: environment, in: home)
    #expect(outcome.code == 78 && !outcome.errors.contains("s3cret") && access("\(own)/sources", F_OK) != 0, "\(outcome.errors)")
  }

  @Test("add keeps no key of a source that could not be added")
  func undone() async throws {
    let line = try "add \(address) things --yes --key header:X-Key"
    // A file is at the path of the folder for manifests, which is made after the service was asked.
    try SystemFiles().makeFolder(own)
    try Folder.write("x", to: "\(own)/sources")
    let failed = try await run(line, input: "s3cret-of-ada\n")
    #expect(failed.code == 74 && !server.requests.isEmpty && access("\(own)/aggregator.xcconfig", F_OK) != 0, "\(failed.errors)")
  }

  @Test("add keeps the key of the winner when several add the same name at once")
  func atOnce() async throws {
    let line = try "add '\(address)' things --yes --key header:X-Key"
    let codes = try await withThrowingTaskGroup(of: (Int, Int32).self) { group in
      for number in 0..<4 { group.addTask { (number, try await run(line, input: "s3cret-of-\(number)\n").code) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let winners = codes.filter { $0.value == 0 }.map(\.key)
    #expect(winners.count == 1, "\(codes)")
    #expect(try Folder.read("\(own)/aggregator.xcconfig").contains("THINGS_API_KEY = s3cret-of-\(winners.first ?? -1)\n"))
    #expect(try files(with: "s3cret") == [])
  }

  @Test("add and config set say that a key is hidden, and hide it while it is typed")
  func hidden() async throws {
    let terminal = try Terminal(
      "add", address, "things", "--yes", "--key", "header:X-Key", columns: 100, environment: environment)
    try terminal.waitFor("header X-Key of 127.0.0.1 (hidden): ")
    terminal.type("s3cret-of-ada\n")
    #expect(terminal.wait() == 0 && !terminal.shown.contains("s3cret"), "\(terminal.shown)")
    let set = try Terminal("config", "set", "THINGS_API_KEY", columns: 100, environment: environment)
    try set.waitFor("THINGS_API_KEY (hidden): ")
    set.type("other-of-ada\n")
    #expect(set.wait() == 0 && !set.shown.contains("other-of"), "\(set.shown)")
  }
}
