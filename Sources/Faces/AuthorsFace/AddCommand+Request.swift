import AggregatorCommand
import AggregatorCore
import Authoring
import Platform
import Recordings
import Services

/// The request in a line of `add`: the SPEC, and options of curl beside an address.
extension AddCommand {
  static let key = Option(
    "key", takes: .required(.free("PLACE")), repeatable: true,
    "where a key goes: header:NAME[=SCHEME], query:NAME or basic:USER, or oauth2:ADDRESS of the tokens of a login; its values are asked "
      + "for, hidden, or read from standard input"
  )
  static let header = Option(
    "header", takes: .required(.free("HEADER")), letter: "H", repeatable: true,
    "send this header, 'NAME: VALUE'; its value is kept as a key where the name says that it is one")
  static let method = Option("request", takes: .required(.free("METHOD")), letter: "X", "ask by this method, GET or POST")
  static let data = Option("data", takes: .required(.free("JSON")), letter: "d", "post this JSON")
  static let next = Option(
    "next", takes: .required(.free("FIELD=PARAM")),
    "the parameter that takes what the answer has there for the next page, such as meta.next=cursor")
  static let rows = Option("rows", takes: .required(.free("PATH")), "where an answer has the rows, such as data.boats")
  static let id = Option(
    "id", takes: .required(.free("FIELD")), "the field that tells the rows apart; several are one id together: site,rack")
  static let title = Option(
    "title", takes: .required(.free("FIELD")), "the field that names a row; several are joined: first_name,last_name")
  static let whole = Option("whole", "the rows that came are everything, although the answer does not say so")

  static let insecure = Option(
    "insecure", "ask an http address in a private network; anyone on the network can read a key and change the answers")

  /// The options about the request.
  static let requesting: [Option] = [key, header, method, data, next, rows, id, title, whole, insecure]

  /// Reads the SPEC: what a word of the line names, or the text of standard input for `-`.
  static func spec(_ word: String, _ invocation: Invocation) throws -> Spec {
    let console = invocation.program.console
    let curl = [header, method, data].flatMap { option in
      (invocation.values[option.name] ?? []).flatMap { ["--\(option.name)", $0] }
    }
    if !curl.isEmpty {
      guard word.contains("://") else {
        throw UsageError("\(curl[0]) goes with an address; a line for curl has its own, in quotes")
      }
      return .request(try NamedRequest(curl: ["curl", word] + curl))
    }
    guard word == "-" else { return try Spec(word, in: invocation.program.workingDirectory) }
    if invocation.has(key) {
      throw UsageError("- reads the line for curl from standard input; put the key into that line")
    }
    if console.isInputTerminal { invocation.say("paste the line, and end it with an empty one") }
    return try Spec(contents: console.readText(upTo: 16 << 20), of: "-", called: "standard input")
  }

  /// Returns the keys that the line names for this request, without values. Throws if the request has an item of that name already.
  static func keys(_ invocation: Invocation, for request: NamedRequest) throws(UsageError) -> [NamedKey] {
    let items = request.address.queryItems.map(\.name) + request.keys.compactMap(\.carrier.item)
    let keys = try keys(invocation)
    if let item = keys.compactMap(\.carrier.item).first(where: items.contains) {
      throw UsageError(
        Printable.clean(
          "--key query:\(item): the address has the item \(item) already; remove it from the address, or omit --key"))
    }
    return keys
  }

  /// Returns the keys that the line names, without values.
  private static func keys(_ invocation: Invocation) throws(UsageError) -> [NamedKey] {
    try (invocation.values[key.name] ?? []).map { text throws(UsageError) in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      let sides = parts.last?.split(separator: "=", maxSplits: 1).map(String.init) ?? []
      switch parts.first {
      case "header" where parts.count == 2 && !sides.isEmpty:
        // The message does not repeat these parts: one that is not a header's name may hold anything.
        guard sides.allSatisfy(\.isHeaderName) else {
          throw UsageError("--key header:NAME takes letters, digits and dashes, such as header:X-Api-Key")
        }
        guard !sides[0].isHeaderOfTransport else { throw UsageError("--key cannot set the header \(sides[0])") }
        return NamedKey(.header(sides[0], scheme: sides.count == 2 ? sides[1] : nil))
      case "query" where parts.count == 2: return NamedKey(.query(parts[1]))
      case "basic" where parts.count == 2:
        // The text may be a key, and is not repeated.
        guard !parts[1].contains(":"), (try? KeyFile.check(Secret(parts[1]), of: "")) != nil else {
          throw UsageError("--key basic:USER takes the user's name alone, without a colon or a control character")
        }
        return NamedKey(.basic(user: parts[1]))
      case "oauth2" where parts.count == 2: return try login(parts[1])
      default: throw UsageError("--key must be header:NAME, header:NAME=SCHEME, query:NAME, basic:USER or oauth2:ADDRESS")
      }
    }
  }
}

extension ManifestKey.Carrier {
  /// The name of the key's item in the query; nil for a key in a header.
  fileprivate var item: String? { if case .query(let name) = self { name } else { nil } }

  /// The value of `--key` for this carrier.
  var option: String {
    switch self {
    case .header(let name, let scheme): "header:\(name)\(scheme.map { "=\($0)" } ?? "")"
    case .query(let name): "query:\(name)"
    case .basic(_, let user): "basic:\(user)"
    }
  }
}

extension Invocation {
  /// This line without the word `curl` before an address, where a line for curl was pasted without quotes.
  var withoutCurl: Invocation {
    guard arguments.count == 2, arguments[0] == "curl", arguments[1].contains("://") else { return self }
    return copy(of: Invocation(program, command, [arguments[1]], values)) {
      ($0.settings, $0.defaultLimit) = (settings, defaultLimit)
    }
  }

  /// The parts of a list that the line names.
  func hints() throws(UsageError) -> DraftHints {
    func paths(_ option: Option) throws(UsageError) -> [ValuePath] {
      try (value(option)?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map { text throws(UsageError) in
        guard !text.isEmpty, let path = ValuePath(text.trimmingSpaces), !path.isMany else {
          throw UsageError("--\(option.name) takes a field of a row, such as id or owner.name")
        }
        return path
      }
    }
    var hints = DraftHints()
    if let text = value(AddCommand.rows) {
      guard let path = ValuePath(text), !path.isMany else { throw UsageError("--rows takes a path, such as data.boats") }
      hints.rows = path
    }
    (hints.id, hints.title) = (try paths(AddCommand.id), try paths(AddCommand.title))
    return hints
  }

  /// Returns the request with the way from page to page and the parts of the list that the line names.
  func hinting(_ request: NamedRequest) throws(UsageError) -> NamedRequest {
    let hints = try hints()
    let request = copy(of: request) { $0.hints = hints }
    guard let text = value(AddCommand.next) else { return request }
    let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard sides.count == 2, let path = ValuePath(sides[0]) else {
      throw UsageError("--next takes FIELD=PARAM, such as meta.next=cursor")
    }
    return request.paged(by: path, to: sides[1])
  }
}
