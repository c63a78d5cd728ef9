public import AggregatorCore
import Platform

/// Recorded exchanges with one service, in the order in which they took place.
public struct Fixture: Sendable, Hashable {
  /// What it is called in messages: its file, usually.
  public var name: String
  /// In the order in which the requests were sent.
  public var exchanges: [Exchange]

  /// A recording made by hand, or an empty one to record into.
  public init(_ name: String, exchanges: [Exchange] = []) {
    self.name = name
    self.exchanges = exchanges
  }
}

/// One recorded request and what came of it.
public struct Exchange: Sendable, Hashable {
  /// What was asked, without secrets.
  public var request: RecordedRequest
  /// What came back, without secrets.
  public var response: HTTPResponse
  /// What went wrong instead of an answer; the response is then empty, of status 0.
  public var failure: SourceError?
  /// When it was sent: a replay runs at this time.
  public var startedAt: Moment
  /// From the request to the end of the answer.
  public var took: Duration

  /// A request and its answer, or why there was none.
  public init(
    _ request: RecordedRequest, _ response: HTTPResponse = HTTPResponse(status: 0), failing failure: SourceError? = nil,
    startedAt: Moment, took: Duration = .zero
  ) {
    (self.request, self.response, self.failure) = (request, response, failure)
    (self.startedAt, self.took) = (startedAt, took)
  }
}

/// A request as a recording has it: what went on the wire, its secrets scrubbed.
public struct RecordedRequest: Sendable, Hashable {
  /// `GET`, as it went on the wire.
  public var method: String
  /// With its query.
  public var address: WebAddress
  /// In the order in which they were sent, without secrets.
  public var headers: [HTTPResponse.Header]
  /// Nil where none was sent.
  public var body: [UInt8]?

  /// A request as somebody who writes a recording by hand puts it.
  public init(_ method: String, _ address: WebAddress, headers: [HTTPResponse.Header] = [], body: [UInt8]? = nil) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
  }

  /// The first header of that name, whatever its case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Its method and its address as a person reads them, the secrets masked.
  package var shown: String {
    "\(method) \(SecretName.hidden(inText: address.shown, leaving: Secret.mask) { SecretName.isUsual($0, holding: $1) })"
  }

  /// Whether its body is a form, which reads like a query.
  package var isForm: Bool {
    self[header: "Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
  }

  /// The request as it goes on the wire.
  package init(_ request: HTTPRequest) {
    self.init(
      request.method.rawValue, request.wireAddress, headers: request.wireHeaders.map { .init($0.name, $0.value) },
      body: request.body)
  }
}

extension WebAddress {
  /// The pairs of its query, decoded, in their order.
  package var queryItems: [HTTPResponse.Header] {
    (query ?? "").split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return HTTPResponse.Header(PercentEncoding.decode(name), PercentEncoding.decode(pair.dropFirst(name.count + 1)))
    }
  }

  /// Such pairs as a query; nil where there are none.
  package static func query(of items: [HTTPResponse.Header]) -> String? {
    items.isEmpty
      ? nil : items.map { "\(PercentEncoding.query($0.name))=\(PercentEncoding.query($0.value))" }.joined(separator: "&")
  }
}

/// HTTP Archives (HAR 1.2), as every browser and most proxies export them.
extension Fixture {
  /// Reads an archive, which errors call by `name`: `spider.har: log.entries[3].request.url: expected a string, found null`.
  ///
  /// - Throws: a `SourceError` of kind `malformed` that names the file and the place in it.
  public init(har bytes: [UInt8], name: String) throws {
    self.init(name, exchanges: try HARReader(name: name).exchanges(bytes))
  }

  /// The exchanges as an archive: the same exchanges always give the same bytes, and a change in one shows as one in a diff.
  ///
  /// Nothing is scrubbed here: what a recording of a run writes is.
  public var har: [UInt8] { HARWriter.log(exchanges).prettyBytes }

  /// The largest archive that is read.
  package static let mostBytes = 256 << 20

  /// Reads the archive at `path`, seen from `home` or from the working directory of the process.
  public init(contentsOf path: String, in home: String = "") throws {
    do {
      try self.init(har: SystemFiles().read(Paths.join(home, path), upTo: Self.mostBytes).bytes, name: path)
    } catch let problem as FileProblem {
      throw SourceError(.settings, "cannot read \(path): \(problem.reason)")
    }
  }

  /// Reads every `.har` of a folder, by name; hidden ones are left out. The folder is seen from `home`, or from the working directory of the
  /// process; `remedy` is what to type where it has none, unless told how a command records some.
  public static func load(folder: String, in home: String = "", remedy: Remedy? = nil) throws -> [Fixture] {
    let record = remedy ?? .give([.init("record", folder)], "to record one")
    let names: [String]
    do {
      names = try SystemFiles().list(Paths.join(home, folder))
    } catch {
      if case .missing = error { throw SourceError(.settings, "no such folder: \(folder)", remedy: record) }
      throw SourceError(
        .settings, "cannot read the recordings in \(folder): \(error.reason)", remedy: "name the folder that contains them")
    }
    let archives = names.filter { $0.hasSuffix(".har") && !$0.hasPrefix(".") }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    guard !archives.isEmpty else { throw SourceError(.settings, "no recording (.har) in \(folder)", remedy: record) }
    return try archives.map { try Fixture(contentsOf: Paths.join(folder, $0), in: home) }
  }
}
