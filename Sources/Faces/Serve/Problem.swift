import AggregatorCore
import Asking
import StoreTables

/// The reason why a request has no answer, as RFC 9457 has it.
struct Problem: Error, Sendable {
  let status: Int
  /// The last part of its address, where a page explains it.
  let name: String
  var detail: String
  var source: String?
  var remedy: String?
  /// The remedy as a value, which a page may offer as a button.
  var cause: Remedy?
  /// The name of the source that was probably meant.
  var nearest: String?
  var headers: [Request.Header] = []

  init(
    _ status: Int, _ name: String, _ detail: String, source: String? = nil, remedy: String? = nil,
    headers: [Request.Header] = []
  ) {
    (self.status, self.name, self.detail, self.source, self.remedy) = (status, name, detail, source, remedy)
    self.headers = headers
  }

  static func malformed(_ detail: String) -> Problem { Problem(400, "bad-request", detail) }

  /// The problem of any error, in the words of this face.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case .foreignCursor as AskError, .invalid("cursor", _) as AskError: self.init(409, "foreign-cursor", "\(error)")
    case .conflict as AskError, .needs as AskError, .mismatch as AskError: self.init(409, "conflict", "\(error)")
    case .unreadable(let name, let error) as AskError:
      let told = Problem(error)
      self.init(400, "bad-request", "\(name): \(told.detail)", remedy: told.remedy)
    case let error as AskError: self.init(400, "bad-request", "\(error)")
    case let error as SourceError:
      let worded = error.worded(Remedy.inAddresses)
      let bare = copy(of: worded) { ($0.source, $0.remedy) = (nil, nil) }
      let name = error.kind == .badRequest ? "bad-service-request" : error.kind.name
      // The service refused, and not this server.
      let status = [.badRequest, .refusedKey].contains(error.kind) ? 502 : error.kind == .foreignCursor ? 409 : error.status
      self.init(status, name, "\(bare)", source: error.source.flatMap { $0.isEmpty ? nil : $0 })
      if case .advice(let text) = worded.remedy { remedy = text }
      cause = error.remedy
      if status == 503 {
        headers = [("Retry-After", String(max(1, (error.namedWait ?? .seconds(60)).components.seconds)))]
      }
    case let mistake as QueryMistake:
      let place = mistake.offset.map { " (at byte \($0 + 1) of the statement)" } ?? ""
      let texts = [mistake.message + place] + mistake.omissions
      self.init(400, "bad-statement", texts.joined(separator: "; "), remedy: mistake.nearest.map { "did you mean \"\($0)\"?" })
    case is CancellationError: self.init(503, "interrupted", "the server is ending")
    default: self.init(500, "unforeseen", "\(error)")
    }
  }

  /// The problem as a reply to that request.
  func reply(to request: Request) -> Reply {
    let members: [Member] = [
      Member(name: "type", value: .text("/problems/\(name)")), Member(name: "title", value: .text(title)),
      Member(name: "status", value: .int(status)), Member(name: "detail", value: .text(Printable.clean(detail))),
      Member(name: "instance", value: .text(String(request.target.prefix(200).prefix { $0 != "?" }))),
      Member(name: "source", value: source.fieldValue), Member(name: "remedy", value: remedy.fieldValue),
    ]
    return Reply(status, "application/problem+json", .bytes(.ofJSON(.object(members))), headers: headers)
  }
}

extension Reply {
  /// Throws for a stream to a client that could not tell a part of a reply from the whole.
  func checked(for request: Request) throws(Problem) -> Reply {
    guard case .stream(let outlet) = body, !request.seesBreaks else { return self }
    outlet.close()
    throw Problem(
      505, "old-version", "this answer is sent in parts, whose end HTTP/1.0 does not tell",
      remedy: "ask by HTTP/1.1; for nginx that is proxy_http_version 1.1")
  }
}

extension Problem {
  /// The meaning of each problem, in a sentence.
  private static let meanings: KeyValuePairs<String, String> = [
    "bad-request": "The request cannot be read: a parameter is unknown, was given twice or has no valid value.",
    "bad-statement": "The statement of SQL makes no sense, or would do more than read.",
    "bad-service-request": "The service refused the request.",
    "budget-spent": "The requests that the service allows in some time are used up.",
    "conflict": "Two parameters exclude each other, or one needs another that is missing.",
    "cross-origin": "A browser sent the request for a page of another origin.",
    "foreign-cursor": "The cursor belongs to the answer to another request.",
    "incomparable": "A condition compares numbers with texts.",
    "interrupted": "The connection to the service was lost, or this server is ending.",
    "malformed": "The service's answer is not what it should be.",
    "method-not-allowed": "The address does not take this method; the header Allow names those that it takes.",
    "missing-key": "The service wants a key, and none is set.",
    "no-such-address": "The service does not know the address of its own list.",
    "no-token": "The server wants its token.",
    "no-transport": "The machine lacks something that requests to services need.",
    "not-acceptable": "The address has no answer in a format that the request accepts.",
    "not-found": "The address, the source, the record or the job does not exist.",
    "not-kept": "The answer was never stored, so that it cannot be given without the service.",
    "old-version": "The answer is sent in parts, and HTTP/1.0 does not tell whether all of them came.",
    "refused-key": "The service refused the key.",
    "settings": "A setting of the server makes no sense.",
    "storage": "The store cannot be read or written.",
    "taken": "Another process does the same thing at this moment.",
    "target-too-long": "The address has more than 8 kB.",
    "throttled": "The service wants to be asked later.",
    "timed-out": "No answer came in the given time.",
    "too-large": "The body of the request has more than 64 kB, or the form of the login more than 4.",
    "too-many": "The server does too much at once; the header Retry-After says when to ask again.",
    "truncated": "The service's answer was cut short.",
    "unavailable": "The service says that it cannot serve the request.",
    "unforeseen": "Something unforeseen went wrong.",
    "unmet": "The answer does not meet what the parameter require demands of it.",
    "unreachable": "The service cannot be reached.",
    "unsafe-redirect": "The service sends its callers to another host, which must not get the key.",
    "unsupported-type": "The login takes a form, and the request brings another type.",
    "unsortable": "The list is too long to be read only to sort it.",
    "wrong-host": "The request names a host that this server is not called.",
  ]

  /// The meanings of all problems, each in a paragraph.
  static let allMeanings = Array(meanings.map { "\($0.key)\n\($0.value)\n" }.joined(separator: "\n").utf8)

  static func meaning(of name: String) -> String? { meanings.first { $0.key == name }?.value }

  /// The name in words: `Timed out`.
  var title: String { name.replacingEach("-", with: " ").capitalizedFirst }
}

extension Remedy {
  /// Remedies in the words of this face, a rule for each shape: as addresses and parameters. Nil for those that need a person at the
  /// server's own machine.
  static let inAddresses: Wording = { remedy, source in
    switch remedy {
    case .ask(let call, let purpose): call.address(of: source).map { $0 + appended(purpose) }
    // Everything has an address of its own here.
    case .give(let parameters, let purpose) where parameters.first?.name == "all" && source != nil:
      "GET /api/\(source ?? "")/walk\(appended(purpose))"
    case .give(["fields"], _), .give(["explain"], _), .useAnotherStore: nil
    // An address that is only read fetches nothing for the store.
    case .give(let parameters, _) where parameters.first?.name == "more": nil
    case .give(let parameters, let purpose): "add \(parameters.map { "\($0)" }.joined(separator: " or "))\(appended(purpose))"
    case .lengthen(let name): "give a longer \(name)"
    case .omit(let name, let purpose): "leave out \(name)\(appended(purpose))"
    case .set(let names, let purpose): "set \(names.joined(separator: " and ")) where the server runs\(appended(purpose))"
    case .check(let name): name.map { "check \($0) where the server runs" }
    case .advice(let text): text
    case .either(let remedies):
      [remedies.compactMap { inAddresses($0, source) }].first { !$0.isEmpty }?.joined(separator: ", or ")
    }
  }
}

extension Remedy.Call {
  /// The request in this face; nil for one that it does not take.
  fileprivate func address(of asked: String?) -> String? {
    guard isOfSource, let name = source ?? asked else {
      if verb == "sync" { return "POST to /api/SOURCE/sync" }
      // It changes what the server may do, which is for its owner.
      return isOfSource
        ? nil
        : "type \(([verb] + (subjects.isEmpty ? [asked].compactMap(\.self) : subjects)).joined(separator: " ")) where the server runs"
    }
    switch verb {
    case "list": return "GET /api/\(name)"
    case "search": return "GET /api/\(name)?text=\(subjects.map(PercentEncoding.query).joined(separator: "+"))"
    case "sync", "audit":
      let query = parameters.map { "\($0.name)=\($0.value ?? "true")" }.joined(separator: "&")
      return "POST to /api/\(name)/\(verb)\(query.isEmpty ? "" : "?\(query)")"
    case "restore": return subjects.first.map { "POST to /api/\(name)/records/\(PercentEncoding.query($0))/restore" }
    case "changes": return "GET /api/\(name)/changes"
    case "why", "history", "show":
      return subjects.first.map { "GET /api/\(name)/records/\(PercentEncoding.query($0))\(verb == "show" ? "" : "/history")" }
    default: return nil
    }
  }
}

extension [UInt8] {
  /// The JSON of a value, with a line break at its end.
  static func ofJSON(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    writer.endLine()
    return writer.take()
  }
}
