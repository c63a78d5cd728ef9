public import AggregatorCommand
import AggregatorCore
import Asking
import Platform
import Serve
import Services
import Store

extension Face {
  /// `serve`: answers over HTTP, and a page.
  public static let serve = Face(settings: [ServeCommand.token], commands: [ServeCommand.command])
}

/// `serve`: the sources over HTTP, until the process is told to end.
enum ServeCommand {
  private static let port = Option("port", takes: .required(.count), "listen at this port (8080); 0 takes a free one")
  private static let bind = Option(
    "bind", takes: .required(.free("ADDRESS")),
    "listen at this address of the machine (127.0.0.1); others than the loopback need a token")
  private static let socket = Option("socket", takes: .required(.file), "listen at this file, which only this user may use")
  private static let tokenFile = Option(
    "token-file", takes: .required(.file), "every request has to bring the token in this file, or else that of \(token.name)")
  private static let host = Option(
    "host", takes: .required(.free("NAME")), repeatable: true, "a name by which clients call the server, as behind a proxy")
  private static let cors = Option(
    "cors", takes: .required(.free("ORIGIN")), repeatable: true,
    "let pages of this origin read the answers, such as https://example.com")
  private static let readOnly = Option("read-only", "take no syncs, audits, deletions and restores")
  private static let sql = Option("sql", "answer statements of SQL too")
  private static let open = Option("open", "open the page in a browser: $BROWSER, or that of the desktop")

  static let token = Setting("AGGREGATOR_TOKEN", .secret, "the token that every request to serve has to bring")

  static let command = Command(
    ["serve"], options: [port, bind, socket, tokenFile, host, cors, readOnly, sql, .allowSync, open, .timeout, .store],
    livesOn: true,
    "answer over HTTP; with pages for a browser, as JSON, csv and streams; with a description for programs at /openapi.json, and for those that speak MCP at /mcp",
    examples: ["serve --open", "serve --port 0 --read-only", "serve --socket aggregator.sock --sql"]
  ) { invocation in
    let program = invocation.program
    if invocation.has(socket) {
      try invocation.refuse(port, with: socket)
      // A browser does not ask at a file.
      try invocation.refuse(open, with: socket)
    }
    if invocation.has(readOnly) { try invocation.refuse(.allowSync, with: readOnly) }
    for omission in program.catalogue.omissions { invocation.say("\(omission.reason)") }
    let look = Look(invocation)
    let world = try await invocation.askingWorld(of: program.catalogue.sources, and: [token])
    var service = Service(look: { try look.now() }, in: world)
    (service.program, service.version) = (program.name, Program.version)
    service.engine = invocation.has(sql) ? SQLiteQueries() : nil
    service.pictures = program.pictureFolder
    let folders = program.folders
    var store: String?
    if case .file(let path, _) = try StoreLocation(of: invocation) { store = Paths.folder(of: path) }
    service.folders = [
      program.manifests.own, program.manifests.named, folders.data, folders.state, folders.cache, folders.config, store,
    ].compactMap(\.self).sorted { $1.utf8.count < $0.utf8.count }
    (service.isReadOnly, service.takesSyncs) = (invocation.has(readOnly), invocation.has(.allowSync))
    service.token = try readToken(invocation, world.settings)
    service.hosts = invocation.values[host.name] ?? []
    service.origins = try origins(invocation.values[cors.name] ?? [])
    if let time = try invocation.timeout() { (service.answerTime, service.walkTime) = (time, time) }
    if invocation.has(.verbose) {
      service.hear = { access in
        invocation.tell("\(access.method) \(access.target) \(access.status) \(access.spent.inWords)")
      }
    }
    signal(SIGPIPE, SIG_IGN)
    let place = try place(invocation)
    do {
      try await Interruption.ending { [service] in
        let says = invocation.has(.verbose)
        try await service.run(at: place, saying: { if says { invocation.tell($0) } }) { address in
          // Programs that wait for the server read this line.
          invocation.tell("serving at \(address)\(service.token == nil ? "" : ", for those who bring the token")")
          if invocation.has(open) { invocation.openPage(page(at: address)) }
        }
      }
    } catch var error as SourceError {
      guard error.kind == .unreachable, error.remedy == nil else { throw error }
      switch place {
      case .port(let port, let address): error.remedy = "try --port \(Service.freePort(after: port, of: address) ?? 0)"
      case .file: error.remedy = "name another file with --socket"
      }
      throw error
    }
    return .success
  }

  private static func place(_ invocation: Invocation) throws -> Service.Place {
    if let path = invocation.value(socket) { return .file(Paths.join(invocation.program.workingDirectory, path)) }
    let text = invocation.value(port) ?? "8080"
    guard let number = Int(text), (0...65_535).contains(number) else {
      throw UsageError("--port must be a whole number from 0 to 65535")
    }
    return .port(number, of: invocation.value(bind) ?? "127.0.0.1")
  }

  /// Returns the address of the first page on this machine.
  private static func page(at address: String) -> String {
    // At the addresses that mean every one of this machine, the page is that of the loopback.
    address.replacingEach("//0.0.0.0:", with: "//127.0.0.1:").replacingEach("//[::]:", with: "//[::1]:") + "/"
  }

  /// Reads the token. It is never an argument, since other users of the machine can read those.
  private static func readToken(_ invocation: Invocation, _ settings: Settings) throws -> Secret? {
    if let path = invocation.value(tokenFile) {
      let path = Paths.join(invocation.program.workingDirectory, path)
      let contents: FileContents
      do throws(FileProblem) { contents = try SystemFiles().read(path, upTo: 4096) } catch {
        throw SourceError(
          .settings, "cannot read the token in \(path): \(error.reason)", remedy: "name another with --token-file")
      }
      if contents.isRegular, contents.permissions & 0o077 != 0 {
        invocation.say("others can read the token in \(path); type chmod 600 \(Paths.quoted(path))")
      }
      let bytes = contents.bytes
      return try checked(Secret(String(decoding: bytes, as: UTF8.self).trimmingSpaces), in: path)
    }
    if let failure = settings.failure(of: token.name) { throw failure }
    guard let entry = settings[token], let secret = settings.secret(token) else { return nil }
    if case .file = entry.origin, settings.isKeyFileFound {
      throw SourceError(
        .settings, "\(token.name) comes from a key file found in the working directory (\(entry.origin))",
        remedy: .trust(keyFile: settings.keyFile ?? ""))
    }
    return try checked(secret, in: token.name)
  }

  private static func checked(_ secret: Secret, in place: String) throws(SourceError) -> Secret {
    let text = secret.reveal()
    guard text.utf8.count >= 16, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      throw SourceError(
        .settings, "the token in \(place) must have 16 or more letters, digits and signs without blanks",
        remedy: "make one with openssl rand -hex 16")
    }
    return secret
  }

  private static func origins(_ texts: [String]) throws(UsageError) -> [String] {
    for text in texts {
      guard let address = WebAddress(text), "\(address.origin)" == text else {
        throw UsageError("--cors must be an origin such as https://example.com, without a path")
      }
    }
    return texts
  }
}
