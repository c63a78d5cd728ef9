import AggregatorCore
import Platform

/// A request as a replay looks at it.
struct ReplayRequest {
  /// What is not to be compared. Most requests of a source agree in it, and can be looked up in the same index.
  struct Mask: Sendable, Hashable {
    let secrets: [Secret]
    let names: SecretNames
  }

  let mask: Mask
  let likeness: Likeness
  /// Method and address without the query.
  private let place: String
  private let scrubber: Scrubber
  private var names: SecretNames { mask.names }

  init(_ request: HTTPRequest, hiding secrets: [Secret]) {
    mask = Mask(secrets: request.hidden + secrets, names: SecretNames(marking: request))
    scrubber = Scrubber(recording: mask.secrets)
    let names = mask.names
    let sent = RecordedRequest(request)
    likeness = Likeness(sent, without: scrubber, hiding: names)
    place = "\(sent.method) \(likeness.origin)\(likeness.path)"
  }

  /// Where each recorded request stands among `entries`, under this question's mask.
  func index(of entries: [Replay.Entry]) -> [Likeness: [Int]] {
    Dictionary(grouping: entries.indices) { of(entries[$0].exchange.request) }
  }

  private func of(_ recorded: RecordedRequest) -> Likeness { Likeness(recorded, without: scrubber, hiding: names) }

  /// The error that says what was asked, how the nearest differs, and what to type.
  func unmatched(by entries: [Replay.Entry], recorded: Int) -> SourceError {
    // A secret in the query shows as its placeholder.
    let query = likeness.query.isEmpty ? "" : "?" + likeness.query.map(\.brief).joined(separator: "&")
    let what =
      switch recorded {
      case 0: "\(place) was not recorded\(nearest(among: entries))"
      case 1: "\(place)\(query) was recorded once but requested again"
      default: "\(place)\(query) was recorded \(recorded) times but requested again"
      }
    let path = entries.first?.fixture ?? ""
    let folder = path.utf8.contains(UInt8(ascii: "/")) && path.hasSuffix(".har") ? Paths.quoted(Paths.folder(of: path)) : "DIR"
    return SourceError(Replay.unmatched, what, remedy: "record it with --record \(folder)")
  }

  private func nearest(among entries: [Replay.Entry]) -> String {
    let all = entries.map { (fixture: $0.fixture, likeness: of($0.exchange.request)) }
    let nearest = all.min { likeness.distance(to: $0.likeness) < likeness.distance(to: $1.likeness) }
    guard let nearest else { return "; the recording is empty" }
    let recorded = nearest.likeness
    guard recorded.origin == likeness.origin else { return "; nothing from \(likeness.origin) was" }
    let differences = likeness.differences(from: recorded)
    let more = differences.count > 3 ? [" and \(differences.count - 3) more"] : []
    let file = nearest.fixture.split(separator: "/").last ?? ""
    return "; the closest in \(file) has " + differences.prefix(3).joined(separator: ", ") + more.joined()
  }
}

/// A request, live or recorded, reduced to what must be the same for the recorded answer to be its answer.
///
/// Method, scheme, host, port and path; the query as pairs in any order; the body, JSON and forms by what they mean. Headers
/// are not compared, since every tool sends its own. The value of a secret is never compared, only that there is one.
struct Likeness: Sendable, Hashable {
  struct Pair: Sendable, Hashable, Comparable {
    let name: String
    /// Nil for a secret.
    let value: String?

    var brief: String { "\(name)=\(briefValue)" }
    /// Its beginning, where it is long.
    var briefValue: String {
      let value = value ?? Scrubber.placeholder
      return value.count > 24 ? "\(value.prefix(23))…" : value
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.name, left.value == nil ? 0 : 1, left.value ?? "") < (right.name, right.value == nil ? 0 : 1, right.value ?? "")
    }
  }

  enum Body: Sendable, Hashable {
    case none
    case json(Value)
    case form([Pair])
    case bytes([UInt8])
  }

  let method: String
  let origin: WebAddress.Origin
  let path: String
  let query: [Pair]
  let body: Body

  /// What the request would be compared by once `scrubber` has taken the secrets out of it.
  init(_ request: RecordedRequest, without scrubber: Scrubber, hiding names: SecretNames) {
    method = request.method
    origin = request.address.origin
    path = scrubber.scrub(request.address.path)
    query = Self.pairs(request.address.queryItems, scrubber, names)
    body = Self.body(request, scrubber, names)
  }

  private static func pairs(_ items: [HTTPResponse.Header], _ scrubber: Scrubber, _ names: SecretNames) -> [Pair] {
    items.map { Pair(name: $0.name, value: names.hidesQuery($0.name) ? nil : scrubber.scrub($0.value)) }.sorted()
  }

  private static func body(_ request: RecordedRequest, _ scrubber: Scrubber, _ names: SecretNames) -> Body {
    guard let bytes = request.body.map({ scrubber.scrub($0) }), !bytes.isEmpty else { return .none }
    if let json = try? JSON(bytes) { return .json(json.value.inOrder) }
    guard request[header: "Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
      return .bytes(bytes)
    }
    var address = request.address
    address.query = String(decoding: bytes, as: UTF8.self)
    return .form(pairs(address.queryItems, scrubber, names))
  }
}

extension Likeness {
  /// What a recorded request has instead of what this one has, each in a few words; none if they are the same.
  func differences(from recorded: Likeness) -> [String] {
    var differences: [String] = []
    if method != recorded.method { differences.append("\(recorded.method) instead of \(method)") }
    if path != recorded.path { differences.append("\(recorded.path) instead of \(path)") }
    let extra = Self.subtract(recorded.query, from: query)
    let missing = Self.subtract(query, from: recorded.query)
    for pair in extra {
      let others = missing.filter { $0.name == pair.name }.map(\.brief)
      differences.append(
        others.isEmpty ? "no \(pair.brief)" : "\(others.joined(separator: " and ")) instead of \(pair.briefValue)")
    }
    let changed = Set(extra.map(\.name))
    for pair in missing where !changed.contains(pair.name) { differences.append("also \(pair.brief)") }
    if body != recorded.body { differences.append("a different body") }
    return differences
  }

  /// How far a recorded request is from being this one: the host counts most.
  func distance(to recorded: Likeness) -> Int {
    (origin == recorded.origin ? 0 : 1000) + (path == recorded.path ? 0 : 100) + (method == recorded.method ? 0 : 10)
      + differences(from: recorded).count
  }

  private static func subtract(_ some: [Pair], from all: [Pair]) -> [Pair] {
    var rest = all
    for pair in some { if let index = rest.firstIndex(of: pair) { rest.remove(at: index) } }
    return rest
  }
}

extension Value {
  /// The same value in one spelling: members by name, and whole numbers as such.
  fileprivate var inOrder: Value {
    switch self {
    case .list(let values): .list(values.map(\.inOrder))
    case .object(let members):
      .object(members.map { Member(name: $0.name, value: $0.value.inOrder) }.sorted { $0.name < $1.name })
    case .double(let double): Int(exactly: double).map(Value.int) ?? self
    default: self
    }
  }
}
