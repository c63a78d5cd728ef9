import AggregatorCore
import Asking

/// One address of the interface: what it is about, what it takes, and how it answers. The table of all of them decides how requests are
/// read, and is what the description of the interface tells.
struct Route: Sendable {
  enum Segment: Sendable, Hashable {
    case word(String)
    /// The name of a source.
    case source
    /// The name that the source gives to a verb.
    case verb(Verb)
    /// The id of a record.
    case id
    /// The number of a job, or the name of a problem.
    case name(String)
  }

  let method: String
  let path: [Segment]
  /// The path with names in braces: `/api/{source}/records/{id}`. It names the route in figures.
  let template: String
  /// The verb that it asks of the source; nil for an address that is not about one source.
  let verb: Verb?
  let parameters: [Ask.Parameter]
  let forms: [Form]
  /// The parameters of this face alone that it takes.
  let extras: [FaceParameter]
  /// The shape of its answer in JSON.
  let result: Result
  let summary: String
  /// Finds its answer.
  let answer: @Sendable (Call) async throws -> Reply

  /// The shape of an answer in JSON, for the description of the interface.
  enum Result: Sendable {
    case answer, record, count, facets, changes, history, searched, statement, reports, report, sources, jobs, job, text,
      picture
    case nothing
    /// A message of a protocol that has a description of its own.
    case message
    /// A page for a browser, or a file that pages load. The description does not list them.
    case page, file
  }

  init(
    _ method: String, _ path: [Segment], asking verb: Verb? = nil, taking parameters: [Ask.Parameter] = [],
    as forms: [Form] = [.json], beside extras: [FaceParameter] = [],
    _ result: Result, _ summary: String, _ answer: @escaping @Sendable (Call) async throws -> Reply
  ) {
    (self.method, self.path, self.verb, self.parameters) = (method, path, verb, parameters)
    (self.forms, self.extras, self.result, self.summary, self.answer) = (forms, extras, result, summary, answer)
    template = Self.template(of: path) { _ in nil }
  }

  /// Returns a path with names in braces. `name` gives a segment another name.
  static func template(of path: [Segment], naming name: (Segment) -> String?) -> String {
    "/"
      + path.map { segment in
        if let name = name(segment) { return name }
        return switch segment {
        case .word(let word): word
        case .source: "{source}"
        case .verb(let verb): verb == .pick ? "{pick}" : verb.name
        case .id: "{id}"
        case .name(let name): "{\(name)}"
        }
      }.joined(separator: "/")
  }

  /// True when its answers read records of sources.
  var isHeavy: Bool { ![.text, .sources, .jobs, .job, .nothing, .message, .file].contains(result) }

  /// True when the source offers what the route does.
  func isOffered(by source: SourceDescriptor) -> Bool { verb?.isOffered(by: source) ?? true }

  /// The things that the segments of a path name; nil if the path is not one of this route.
  func match(_ segments: [String], in catalogue: Catalogue) -> Match? {
    guard segments.count == path.count else { return nil }
    var match = Match()
    for (segment, text) in zip(path, segments) {
      switch segment {
      case .word(let word): if word != text { return nil }
      case .source:
        guard let source = catalogue[text], isOffered(by: source) else { return nil }
        match.source = source
      case .verb(let verb): if match.source.map({ verb.name(for: $0) }) != text { return nil }
      case .id: match.id = text
      case .name: match.name = text
      }
    }
    return match
  }

  struct Match: Sendable {
    var source: SourceDescriptor?
    var id = "", name = ""
  }
}

/// A form in which an answer is given.
enum Form: String, Sendable, CaseIterable {
  case json, ndjson, csv
  /// Server-sent events.
  case events
  case atom, metrics, picture, html

  var type: String {
    switch self {
    case .json: "application/json"
    case .ndjson: "application/x-ndjson"
    case .csv: "text/csv; charset=utf-8"
    case .events: "text/event-stream"
    case .atom: "application/atom+xml"
    case .metrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    case .picture: "image/*"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// The type without parameters.
  var plainType: String { String(type.prefix { $0 != ";" }) }

  /// Chooses among forms by the name that the address gives, else by what the client accepts. Throws if it accepts none of them.
  init(named name: String?, accepted: [String], among forms: [Form]) throws {
    if let name {
      guard let form = forms.first(where: { $0.rawValue == name }) else {
        throw Problem.malformed("format must be one of \(forms.map(\.rawValue).joined(separator: ", "))")
      }
      self = form
      return
    }
    let ranges = accepted.joined(separator: ",").split(separator: ",").compactMap { Self.range(String($0)) }
    guard !ranges.isEmpty else {
      self = forms[0]
      return
    }
    func quality(_ form: Form) -> Double {
      let type = form.plainType
      let fitting = ranges.filter { range in
        range.type == type || range.type == "*/*" || range.type.hasSuffix("/*") && type.hasPrefix(range.type.dropLast())
          || type == "image/*" && range.type.hasPrefix("image/")
          || type == "application/json" && range.type == "application/*+json"
      }
      return fitting.max { $0.type.count < $1.type.count }?.quality ?? 0
    }
    // Of forms that are equally welcome the first one is the usual one.
    let best = forms.map(quality).max() ?? 0
    guard best > 0, let form = forms.first(where: { quality($0) == best }) else {
      throw Problem(406, "not-acceptable", "this address answers as \(forms.map(\.plainType).joined(separator: ", "))")
    }
    self = form
  }

  private static func range(_ text: String) -> (type: String, quality: Double)? {
    let parts = text.split(separator: ";").map { String($0).trimmingSpaces.lowercased() }
    guard let type = parts.first, !type.isEmpty else { return nil }
    let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    return (type, quality)
  }
}
