public import AggregatorCore
import Asking
public import Pictures
import Platform
public import StoreTables

/// The interface over HTTP, as somebody serves it.
///
///     var service = Service(look: { (catalogue, world.settings) }, in: world)
///     service.token = Secret(token)
///     try await service.run(at: .port(8080, of: "127.0.0.1")) { print("serving at \($0)") }
public struct Service: Sendable {
  /// The place where it listens.
  public enum Place: Sendable {
    /// A port of an address of this machine; 0 lets the system choose one.
    case port(Int, of: String)
    /// A file that only this user may use.
    case file(String)

    /// True when only this machine reaches it.
    var isLoopback: Bool {
      guard case .port(_, let host) = self else { return true }
      return host == "::1" || host == "localhost" || host.hasPrefix("127.")
    }

    /// The address as a client names it.
    var host: String {
      if case .port(_, let host) = self { host.contains(":") ? "[\(host)]" : host } else { "localhost" }
    }
  }

  /// A request and its reply, for a log.
  public struct Access: Sendable {
    /// The method and the address with its query.
    public let method, target: String
    /// The status of the reply.
    public let status: Int
    /// The time until the reply began.
    public let spent: Duration
  }

  /// The name and the version of the program.
  public var program = "aggregator", version = "0"
  /// Returns the present sources and the settings with which they are asked.
  public var look: @Sendable () throws -> (Catalogue, Settings)
  /// The world of the sources, but for the settings. Each request has its own terms in it.
  public var world: World
  /// The engine that answers statements of SQL; nil if none are taken.
  public var engine: (any QueryEngine)?
  /// The folder for pictures; nil keeps them in memory.
  public var pictures: PictureFolder?
  /// The folders of the server, whose paths no problem tells.
  public var folders: [String] = []
  /// The secret that every request has to bring; nil if none is needed.
  public var token: Secret?
  /// The names by which clients may call it, besides those of the loopback.
  public var hosts: [String] = []
  /// The origins whose pages may read its answers.
  public var origins: [String] = []
  /// True when nothing can be changed through it.
  public var isReadOnly = false
  /// True when a program that speaks the Model Context Protocol may begin a sync.
  public var takesSyncs = false
  /// The time for an answer, and for a whole walk or stream.
  public var answerTime = Duration.seconds(30), walkTime = Duration.seconds(600)
  /// The time in which facets are counted.
  public var facetTime = Duration.seconds(2)
  /// The numbers of whole walks and of streams that may run at once.
  public var mostWalks = 8, mostStreams = 16
  /// The time for which a look at the sources serves.
  var lookTime = Duration.seconds(1)
  /// The limits of the server below.
  var limits = MicroHTTPServer.Limits()
  /// Is told of each reply as it begins.
  public var hear: (@Sendable (Access) -> Void)?

  /// A service of these sources.
  public init(look: @escaping @Sendable () throws -> (Catalogue, Settings), in world: World) {
    (self.look, self.world) = (look, world)
  }

  /// Returns a port that is free, of the next twenty ones; nil if none of them is.
  public static func freePort(after port: Int, of host: String) -> Int? {
    (port + 1...port + 20).first { number in
      guard number <= 65_535, let (descriptor, _) = try? Listener.socket(at: host, port: number) else { return false }
      close(descriptor)
      return true
    }
  }

  /// Serves until the task is cancelled; then it ends what runs, for at most five seconds. `say` takes what the server has to say, and
  /// `began` the address once it listens.
  public func run(
    at place: Place, saying say: @escaping @Sendable (String) -> Void = { _ in }, began: @Sendable (String) -> Void
  ) async throws {
    let (descriptor, address, port) = try listen(at: place)
    // A stranger on the network must not take all connections; on the loopback a proxy may need them.
    var limits = limits
    if !place.isLoopback { limits.perAddress = 64 }
    let server: any Server = try MicroHTTPServer(listeningAt: descriptor, limits: limits, saying: say)
    let interface = Interface(self, at: place.host, calledAt: port)
    began(address)
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRunning = SystemThread.start { continuation.resume(returning: server.run { interface.answer($0) }) }
        if !isRunning { continuation.resume(returning: SourceError(.noTransport, "the system gives no thread")) }
      }
    } onCancel: {
      server.stop()
    }
    if case .file(let path) = place { unlink(path) }
    await interface.jobs.end()
    if let failure { throw failure }
  }

  private func listen(at place: Place) throws -> (descriptor: CInt, address: String, port: Int?) {
    switch place {
    case .port(let port, let host):
      guard token != nil || place.isLoopback else {
        throw SourceError(
          .settings, "other machines could reach \(host), and no token is set", remedy: .give([.init("token-file", "FILE")], "")
        )
      }
      let (descriptor, bound) = try Listener.socket(at: host == "localhost" ? "127.0.0.1" : host, port: port)
      return (descriptor, "http://\(host.contains(":") ? "[\(host)]" : host):\(bound)", bound)
    case .file(let path): return (try Listener.socket(atFile: path), path, nil)
    }
  }
}
