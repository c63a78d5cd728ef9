public import AggregatorCore
import Platform
import Synchronization

/// A recording of one source, which is added to its file at the end.
///
/// Secrets never reach the file. Secrets that requests mark, those it is told of, and values in bodies under a name such as `access_token`
/// are replaced by `Scrubber.placeholder` in addresses, headers and bodies, in every encoding. The finished bytes are searched once more
/// for the secrets of requests before they are written.
public final class Recording: Sendable {
  /// The path of the file.
  public let path: String
  private let folder: String
  /// The folder that `folder` is relative to; empty for the working directory of the process.
  private let home: String

  private struct State: Sendable {
    /// The exchanges in the order in which they were sent, not in which they ended. An exchange is nil while
    /// it runs, and after it was written to the file.
    var exchanges: [(exchange: Exchange, hiding: SecretNames)?] = []
    var secrets: Set<Secret>

    var scrubbed: [Exchange] {
      let noted = exchanges.compactMap { $0 }
      let scrubber = Scrubber(recording: noted.reduce(into: secrets) { $0.formUnion($1.exchange.secretsInBodies) })
      return noted.map { scrubber.scrub($0.exchange, hiding: $0.hiding) }
    }
  }

  private let state: Mutex<State>

  /// A recording of the source called `name`, in `folder`, which need not exist and is relative to `home` or to the working directory of
  /// the process. The file gets neither `secrets` nor the secrets that requests mark.
  public init(of name: String, into folder: String, in home: String = "", hiding secrets: [Secret] = []) {
    (self.folder, self.home) = (folder, home)
    path = Paths.join(folder, "\(name).har")
    state = Mutex(State(secrets: Set(secrets)))
  }

  /// Adds secrets that must not be in the file.
  public func hide(_ secrets: [Secret]) { state.withLock { $0.secrets.formUnion(secrets) } }

  /// The exchanges since the last ``finish()``, without secrets.
  package var exchanges: [Exchange] { state.withLock { $0.scrubbed } }

  func begin(_ request: HTTPRequest) -> Int {
    state.withLock { state in
      state.secrets.formUnion(request.hidden)
      state.exchanges.append(nil)
      return state.exchanges.count - 1
    }
  }

  func end(_ number: Int, with exchange: Exchange, of request: HTTPRequest) {
    state.withLock { $0.exchanges[number] = (exchange, SecretNames(marking: request)) }
  }

  /// Adds the exchanges since the last call to the file, without secrets, and returns their number.
  ///
  /// Call it after an error too, because the exchanges before it are worth keeping. A request that is still running, or was cancelled, is
  /// left out. The file changes completely or not at all, and processes that record into the same folder wait for each other.
  ///
  /// - Throws: a `SourceError` of kind `storage`, also if the existing file is not an archive, or `.custom("secret-left")` if the file
  ///   would contain a secret, which may have been in it before.
  @discardableResult
  public func finish() throws -> Int {
    try state.withLock { state in
      let fresh = state.scrubbed
      guard !fresh.isEmpty else { return 0 }
      try add(fresh, Scrubber(recording: state.secrets))
      for index in state.exchanges.indices { state.exchanges[index] = nil }
      return fresh.count
    }
  }

  private func add(_ exchanges: [Exchange], _ scrubber: Scrubber) throws {
    let files = SystemFiles()
    let target = Paths.join(home, folder)
    do {
      try files.makeFolder(target, permissions: 0o755)
      try files.alone(in: target) {
        let file = try files.following(Paths.join(home, path))
        let bytes = try log(in: file, adding: exchanges).prettyBytes
        try Self.refuse(bytes, scrubber, path)
        try files.replace(file, with: bytes, permissions: 0o644)
      }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(path): \(problem.reason)")
    } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
      // The new exchanges are valid, so the error is about the existing file.
      throw SourceError(
        .storage, "\(path) is not a HAR file (\(error.message)); left unchanged",
        remedy: "move it away, or record into another folder")
    }
  }

  /// Returns the file's own archive with these exchanges after its own. Everything else in it stays as it is.
  private func log(in file: String, adding exchanges: [Exchange]) throws -> Value {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try SystemFiles().read(file, upTo: Fixture.mostBytes).bytes
    } catch {
      guard case .missing = error else { throw error }
      return HARWriter.log(exchanges)
    }
    let archive = try JSON(bytes)
    let entries = try archive.object("log").array("entries").map(\.value) + exchanges.map(HARWriter.entry)
    return archive.value.setting("log.entries", to: .list(entries))
  }

  private static func refuse(_ bytes: [UInt8], _ scrubber: Scrubber, _ path: String) throws {
    // The bytes are read once more, so that an unreadable file is not written, and a secret inside base64 is found too.
    let bodies = try HARReader(name: path).entries(bytes).flatMap { [$0.request.body ?? [], $0.response.body] }
    guard ([bytes] + bodies).contains(where: scrubber.finds) else { return }
    throw SourceError(
      .custom("secret-left"), "a secret would remain in \(path); nothing was written",
      remedy: "look for it there, or remove the file")
  }
}

/// Records every request and its result.
///
/// It belongs directly around the transport, inside all other middlewares, so that each attempt is recorded, the 429 as well as the 200.
///
/// ```swift
/// let recording = Recording(of: "heroes", into: "Fixtures")
/// world.transport = world.transport.through([Recorder(recording)])
/// // … ask …
/// try recording.finish()
/// ```
public struct Recorder: Middleware {
  private let recording: Recording
  private let clock: any Timekeeper

  /// Adds the exchanges that pass to `recording`, with the times of `clock`.
  public init(_ recording: Recording, clock: any Timekeeper = SystemTime()) {
    self.recording = recording
    self.clock = clock
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    if request.isPrivate { return try await next.send(request) }
    let number = recording.begin(request)
    var exchange = Exchange(TapedRequest(request), startedAt: clock.now)
    do {
      exchange.response = try await next.send(request)
    } catch let error as SourceError {
      exchange.failure = error
    }
    exchange.took = clock.now - exchange.startedAt
    recording.end(number, with: exchange, of: request)
    if let failure = exchange.failure { throw failure }
    return exchange.response
  }
}
