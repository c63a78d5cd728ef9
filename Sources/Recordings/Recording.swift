public import AggregatorCore
import Platform
import Synchronization

/// What is recorded of one source, to be added to its file in the end.
///
/// Secrets never reach the file: those that requests mark, those it is told of and what bodies hold under a name such as `access_token`
/// are replaced by `Scrubber.placeholder` in addresses, headers and bodies, in whatever spelling. The finished bytes are searched once more
/// for those of requests before they are written.
public final class Recording: Sendable {
  /// Where it is kept.
  public let path: String
  private let folder: String
  /// Where the folder lies, if not in the working directory of the process.
  private let home: String

  private struct State: Sendable {
    /// In the order in which they were sent, which is not that in which they ended; nil while under way, and once it is in the file.
    var exchanges: [(exchange: Exchange, hiding: SecretNames)?] = []
    var secrets: Set<Secret>

    var scrubbed: [Exchange] {
      let noted = exchanges.compactMap { $0 }
      let scrubber = Scrubber(recording: noted.reduce(into: secrets) { $0.formUnion($1.exchange.secretsInBodies) })
      return noted.map { scrubber.scrub($0.exchange, hiding: $0.hiding) }
    }
  }

  private let state: Mutex<State>

  /// A recording of the source called `name`, in `folder`, which need not exist and is seen from `home`, or from the working directory of
  /// the process. Neither `secrets` nor what requests mark as secret gets into its file.
  public init(of name: String, into folder: String, in home: String = "", hiding secrets: [Secret] = []) {
    (self.folder, self.home) = (folder, home)
    path = Paths.join(folder, "\(name).har")
    state = Mutex(State(secrets: Set(secrets)))
  }

  /// Adds to what must not be in the file.
  public func hide(_ secrets: [Secret]) { state.withLock { $0.secrets.formUnion(secrets) } }

  /// What was recorded since the last ``finish()``, without secrets.
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

  /// Adds what was recorded since the last call to the file, scrubbed; says how many exchanges that were.
  ///
  /// Call it after an error too: what came before it is worth keeping. A request that is still under way, or was cancelled, is left out.
  /// The file changes as a whole or not at all, and processes that record into the same folder wait for each other.
  ///
  /// - Throws: a `SourceError` of kind `storage`, also where the file that is there is no archive, or `.custom("secret-left")` when a
  ///   secret would be left in it, which may have been in it before.
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
    let place = Paths.join(home, folder)
    do {
      try files.makeFolder(place, permissions: 0o755)
      try files.alone(in: place) {
        let file = try files.following(Paths.join(home, path))
        let bytes = try log(in: file, adding: exchanges).prettyBytes
        try Self.refuse(bytes, scrubber, path)
        try files.replace(file, with: bytes, permissions: 0o644)
      }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(path): \(problem.reason)")
    } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
      // What was recorded now is sound, so it is the file that was there.
      throw SourceError(
        .storage, "\(path) is not a HAR file (\(error.message)); left unchanged",
        remedy: "move it away, or record into another folder")
    }
  }

  /// The file's own archive with these exchanges behind the others; all else in it stays as it is.
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
    // Nothing is written that could not be read again either. What is in base64 there could hold a secret in another spelling still.
    let bodies = try HARReader(name: path).entries(bytes).flatMap { [$0.request.body ?? [], $0.response.body] }
    guard ([bytes] + bodies).contains(where: scrubber.finds) else { return }
    throw SourceError(
      .custom("secret-left"), "a secret would remain in \(path); nothing was written",
      remedy: "look for it there, or remove the file")
  }
}

/// Notes every request and what came of it.
///
/// It belongs right around the transport, inside of everything else: so each attempt is recorded, the 429 as well as the 200.
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

  /// Adds what goes through it to `recording`, with the times of `clock`.
  public init(_ recording: Recording, clock: any Timekeeper = SystemTime()) {
    self.recording = recording
    self.clock = clock
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let number = recording.begin(request)
    var exchange = Exchange(RecordedRequest(request), startedAt: clock.now)
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
