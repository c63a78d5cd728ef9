import AggregatorCore
import Asking
import CMicrohttpd
import RecordFormats
import Synchronization

/// One request to a route, with everything that it names.
struct Call: Sendable {
  let interface: Interface
  let route: Route
  let catalogue: Catalogue
  let world: World
  let request: Request
  let form: Form
  private let match: Route.Match
  private(set) var words: AskWords
  /// The fields to show; nil for all.
  private let chosen: String?
  /// True when a client wants what there is of an incomplete answer.
  let takesPart: Bool
  private let hasMark: Bool
  /// True when a client wants what the last sync stored, whatever was cached.
  let wantsStored: Bool
  /// The values of the parameters that only pages have.
  private let extras: [String: String]
  private let heard = Heard()

  /// The texts for a person that sources said while they answered.
  private final class Heard: Sendable {
    let texts = Mutex<[String]>([])
  }

  /// Does `work`, and listens to what its sources say meanwhile.
  func hearing(_ work: () async throws -> Reply) async throws -> Reply {
    try await Event.listening({ [heard, interface] event in
      guard case .noticed(let source, let text) = event else { return }
      heard.texts.withLock { $0.append(interface.bare("\(source): \(text)")) }
    }) { try await work() }
  }

  /// The texts that were heard so far.
  var told: [String] { heard.texts.withLock(\.self) }

  var service: Service { interface.service }
  var now: Moment { world.clock.now }

  init(
    of interface: Interface, _ route: Route, _ match: Route.Match, _ sight: Interface.Sight, _ request: Request,
    _ words: AskWords
  ) throws {
    var words = words
    let hasRows = route.forms.contains(.ndjson)
    let hasFields = route.result == .answer || route.extras.contains { $0.name == FaceParameter.view.name }
    // An empty field of a form asks for nothing.
    if route.result == .page, words.given[Ask.Parameter.text.name]?.allSatisfy(\.trimmingSpaces.isEmpty) ?? false {
      _ = words.take(Ask.Parameter.text.name)
    }
    let format = try words.take(.format, if: route.forms.count > 1)
    form = try Form(named: format, accepted: request.values(of: "accept"), among: route.forms)
    chosen = hasFields ? words.take(FaceParameter.fields.name)?.joined(separator: ",") : nil
    takesPart = try words.say(.partial, "allow", if: hasRows)
    let hasTable = route.forms.contains(.csv)
    hasMark = try words.say(.bom, "true", if: hasTable)
    wantsStored = try words.say(.stored, "true", if: route.parameters.contains(.offline))
    if wantsStored, let other = [Ask.Parameter.live, .refresh, .maxAge].first(where: { words.given[$0.name] != nil }) {
      throw AskError.conflict(FaceParameter.stored.name, other.name)
    }
    extras = try route.extras.reduce(into: [:]) { extras, extra in extras[extra.name] = try words.take(extra) }
    let known = route.parameters.filter { parameter in match.source.map { parameter.isOffered(by: $0) } ?? true }
    try words.checkSizes()
    let own: [(FaceParameter, Bool)] = [
      (.format, route.forms.count > 1), (.partial, hasRows), (.bom, hasTable), (.fields, hasFields),
      (.stored, route.parameters.contains(.offline)),
    ]
    try words.check(among: known, beside: own.filter { $0.1 }.map { $0.0.name } + route.extras.map(\.name))
    if hasMark, form != .csv { throw AskError.needs(FaceParameter.bom.name, "format=csv") }
    (self.interface, self.route, self.match) = (interface, route, match)
    (catalogue, world) = (sight.catalogue, sight.world)
    (self.request, self.words) = (request, words)
  }

  /// The id of a record, and what else the path names.
  var id: String { match.id }
  var name: String { match.name }

  /// The name of the source that the path names; empty for an address about all.
  var subject: String { match.source?.name ?? "" }

  /// The source that the path names.
  var source: SourceDescriptor {
    get throws { if let source = match.source { source } else { throw Problem(404, "not-found", "no source is named") } }
  }

  /// The words of the call, with those that the address itself says.
  func given(with more: [String: [String]]) -> AskWords {
    copy(of: words) { words in for (name, values) in more { words.give(name, values) } }
  }

  /// Reads what is asked of a verb. `more` are words that the address itself says.
  func ask(
    _ verb: Verb, of source: SourceDescriptor? = nil, with more: [String: [String]] = [:], most: Int? = Self.mostRecords,
    within time: Duration? = nil
  ) throws -> Ask {
    let source = try source ?? self.source
    var ask = try Ask(verb, of: source, reading: given(with: more), mostRecords: most, at: now)
    let end = now + (time ?? service.answerTime)
    ask.deadline = min(ask.deadline ?? end, end)
    if wantsStored { (ask.terms.reach, ask.terms.prefersStored) = (.offline, true) }
    if source.isEndless, Guard.safe.contains(request.method), ask.terms.reach == .live || ask.terms.isInsistent {
      let why = "live and refresh would fetch and store further \(source.name), and a GET changes nothing"
      throw Problem(409, "conflict", why, source: source.name)
    }
    return ask
  }

  /// The greatest number of records in one answer; a walk has no limit.
  static let mostRecords = 1000

  /// The same call without a parameter, or only with these values of it.
  func without(_ name: String, but values: [String] = []) -> Call {
    copy(of: self) { call in
      _ = call.words.take(name)
      if !values.isEmpty { call.words.give(name, values) }
    }
  }

  func open(_ ask: Ask) throws -> OpenedSource { try catalogue.open(ask, in: world) }

  /// True when a parameter was given.
  func gives(_ parameter: Ask.Parameter) -> Bool { words.given[parameter.name] != nil }

  /// The value that was given for a parameter that is not part of an ask.
  func text(_ parameter: Ask.Parameter) -> String? { words.given[parameter.name]?.last }

  func text(_ parameter: FaceParameter) -> String? { extras[parameter.name] }

  /// The time limit that was given; nil if none was.
  var time: Duration? { get throws(AskError) { try Ask.Parameter.timeout.duration(in: words) } }

  /// The meanings of a parameter that is not part of an ask to one source.
  func meanings<Meaning>(
    _ parameter: Ask.Parameter, _ read: (String) throws(SourceError) -> [Meaning]
  ) throws(AskError) -> [Meaning] { try parameter.meanings(in: words, read) }

  /// The columns of records with these fields, as the client chose them.
  func columns(of fields: [FieldOutline], id: FieldPath? = nil, isFull: Bool = false) throws -> Columns {
    try Columns(reading: chosen, of: fields, id: id, isFull: isFull, at: now)
  }

  /// The renderer of rows into the reply.
  func renderer(_ columns: Columns, into sink: any Sink, in envelope: Envelope) -> any Renderer {
    switch form {
    case .events: EventStream(columns, into: sink)
    case .ndjson: DataFormat.ndjson.renderer(columns, into: sink)
    case .csv: DataFormat.csv.renderer(columns, into: sink, hasMark: hasMark)
    case .json, .atom, .metrics, .picture, .html: DataFormat.json.renderer(columns, into: sink, in: .envelope(envelope))
    }
  }

  /// The same address at another place of the list; without parameters at its beginning.
  func address(with place: [Remedy.Parameter]) -> String {
    let sides = request.target.split(separator: "?", maxSplits: 1)
    let places = [Ask.Parameter.cursor, .offset].map { "\($0.name)=" }
    let kept = sides.count == 2 ? sides[1].split(separator: "&").filter { item in !places.contains { item.hasPrefix($0) } } : []
    let items = kept.map(String.init) + place.map { "\($0)" }
    let address = sides[0] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    // A client may have sent bytes as they are that would end a link.
    return address.utf8.map { (0x21..<0x7F).contains($0) && !Self.ending.contains($0) ? String(UnicodeScalar($0)) : $0.escape }
      .joined()
  }

  private static let ending = Array("<>\"\\".utf8)

  /// The reply with what it shares with every other: its fingerprint, and its bytes packed.
  func completed(_ reply: Reply) -> Reply {
    guard case .bytes(let bytes) = reply.body, reply.status == 200, request.method == "GET" || request.method == "HEAD" else {
      return reply
    }
    var reply = reply
    let tag = "W/\"\(String(Fingerprint.of(bytes), radix: 16))\""
    reply.headers.append(("ETag", tag))
    let known = request.values(of: "if-none-match").flatMap { $0.split(separator: ",") }.map { String($0).trimmingSpaces }
    if known.contains(where: { $0 == "*" || $0 == tag || "W/\($0)" == tag }) {
      reply.headers.removeAll { $0.name == "Content-Type" }
      (reply.status, reply.body) = (304, .bytes([]))
    } else if form != .picture, bytes.count >= 1024, request.values(of: "accept-encoding").contains(where: Self.takesGzip),
      let packed = Self.packed(bytes)
    {
      reply.headers.append(("Content-Encoding", "gzip"))
      reply.body = .bytes(packed)
    }
    return reply
  }

  private static func takesGzip(_ value: String) -> Bool {
    value.lowercased().split(separator: ",").contains { part in
      let words = part.split(separator: ";").map { String($0).trimmingSpaces }
      return ["gzip", "*"].contains(words.first) && !words.dropFirst().contains { Double($0.dropFirst(2)) == 0 }
    }
  }

  /// Nil if packing makes nothing smaller, or if the machine lacks the library for it.
  private static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    let packed = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
      count = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.flatMap { source in
          target.baseAddress.map { chttp_gzip($0, target.count, source, bytes.count) }
        } ?? 0
      }
    }
    return packed.isEmpty ? nil : packed
  }
}

extension AskWords {
  /// Takes out the value of a parameter that may be given once; nil if it was not given, or if the address does not have it.
  fileprivate mutating func take(_ parameter: FaceParameter, if isKnown: Bool = true) throws(AskError) -> String? {
    guard isKnown, let given = take(parameter.name) else { return nil }
    guard !given.isEmpty else { throw .invalid(parameter.name, expected: "a value") }
    guard given.count == 1 else { throw .repeated(parameter.name) }
    return given[0]
  }

  /// Takes out a parameter that has this value or none; true when it was given.
  fileprivate mutating func say(_ parameter: FaceParameter, _ value: String, if isKnown: Bool) throws(AskError) -> Bool {
    guard let text = try take(parameter, if: isKnown) else { return false }
    guard text == value else { throw .invalid(parameter.name, expected: value) }
    return true
  }
}

extension UInt8 {
  /// The byte as an address has it: `%3e`.
  var escape: String { "%\(self < 16 ? "0" : "")\(String(self, radix: 16))" }
}

/// A parameter of this face alone.
struct FaceParameter: Sendable {
  let name, summary: String

  static let format = FaceParameter(name: "format", summary: "the form of the answer; otherwise the header Accept decides")
  static let fields = FaceParameter(name: "fields", summary: "only these fields, with commas between them")
  static let partial = FaceParameter(
    name: "partial", summary: "end a transfer well although its answer is incomplete; without it the transfer breaks off")
  static let bom = FaceParameter(
    name: "bom", summary: "csv for a spreadsheet: with a byte-order mark, and no text runs as a formula")

  static let stored = FaceParameter(
    name: "stored", summary: "what syncs stored, before any answer that was cached")

  // Those of pages.
  static let view = FaceParameter(name: "view", summary: "table, cells or grid")
  static let facets = FaceParameter(name: "facets", summary: "true to count the values of all records")
  static let undo = FaceParameter(name: "undo", summary: "the record that was just deleted")
  static let back = FaceParameter(name: "back", summary: "the query of the list to return to")
  static let field = FaceParameter(name: "field", summary: "the field of a new condition")
  static let comparison = FaceParameter(name: "is", summary: "its comparison")
  static let value = FaceParameter(name: "value", summary: "its value")
  static let address = FaceParameter(name: "of", summary: "the address of a picture")
  static let signature = FaceParameter(name: "by", summary: "the signature of that address")
}
