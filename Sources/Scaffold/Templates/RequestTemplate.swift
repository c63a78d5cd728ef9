import AggregatorCore
import SourceVerification

/// The lines that make a request.
struct RequestTemplate {
  let service: ServicePlan

  private var isPost: Bool { service.method != "GET" }
  private var verb: String { service.verb }

  var lines: [String] {
    let changes = [search, token, following].compactMap { $0 } + posting
    let head = "\(changes.isEmpty ? "let" : "var") \(verb) = client.request"
    return path + [call(head, [".\(verb)", pathName], query)] + changes
  }

  /// Whether a text is written into a body.
  var needsQuoting: Bool { isPost && body.contains { $0.contains("quoted(") } }

  private var path: [String] {
    guard let search = service.address.searchPath else { return [] }
    let (plain, found) = (SwiftText.literal(service.address.path), SwiftText.literal(search))
    return ["    let path = request.query.text == nil ? \(plain) : \(found)"]
  }

  private var pathName: String { service.address.searchPath == nil ? SwiftText.literal(service.address.path) : "path" }

  // MARK: - The query

  private var query: [String] {
    var query: [String] = []
    switch service.paging {
    case .offset(let parameter), .number(let parameter, _):
      if parameter.place == .query { query.append(pair(parameter.name, "\\(place.number)")) }
    case .whole, .token, .keyset, .nextAddress, .link: break
    }
    if let size = service.sizeParameter, size.place == .query { query.append(pair(size.name, "\\(place.size)")) }
    return query
      + service.constants.enumerated().map { index, item in
        pair(item.name, Self.isLong(item.value) ? "\\(Self.constant\(index + 1))" : SwiftText.escaped(item.value))
      }
  }

  /// What is too long to stand in a request, by itself.
  var constants: [String] {
    service.constants.enumerated().filter { Self.isLong($0.element.value) }.map { index, item in
      "\n  /// As it was recorded.\n  private static let constant\(index + 1) =\n    \(Layout.sum(SwiftText.pieces(item.value), indent: 4))\n"
    }
  }

  private static func isLong(_ text: String) -> Bool { SwiftText.escaped(text).count > 70 }

  private func pair(_ name: String, _ escaped: String) -> String { "\(SwiftText.literal(name)): \"\(escaped)\"" }

  private func call(_ head: String, _ arguments: [String], _ query: [String]) -> String {
    guard !query.isEmpty else { return Layout.call(head, arguments, indent: 4) }
    let line = Layout.call(head, arguments + ["[\(query.joined(separator: ", "))]"], indent: 4)
    if !line.contains("\n") { return line }
    let list = Layout.list(query, indent: 6, room: 1)
    return list.contains("\n")
      ? "    \(head)(\n      \(arguments.joined(separator: ", ")),\n      \(list))" : Layout.call(head, arguments + [list], indent: 4)
  }

  private var search: String? {
    guard let search = service.search, search.place == .query else { return nil }
    return appending("text", of: "request.query.text", as: search)
  }

  private var token: String? {
    switch service.paging {
    case .token(_, let parameter) where parameter.place == .query: appending("token", of: "place.token", as: parameter)
    case .keyset(_, let parameter) where parameter.place == .query: appending("key", of: "place.key", as: parameter)
    default: nil
    }
  }

  private func appending(_ name: String, of value: String, as parameter: Parameter) -> String {
    "    if let \(name) = \(value) { \(verb).query.append(HTTPRequest.Item(\(SwiftText.literal(parameter.name)), .plain(\(name)))) }"
  }

  private var following: String? {
    service.list.isFollowed ? "    if let token = place.token { \(verb) = try client.request(following: token) }" : nil
  }

  // MARK: - The body

  private var posting: [String] {
    guard isPost, service.body != nil else { return [] }
    let bytes =
      body.count == 1 ? "    post.body = Array(\(body[0]).utf8)" : "    post.body = Array(\n      (\(Layout.sum(body, indent: 8))).utf8)"
    return ["    post.headers.append(HTTPRequest.Item(\"Content-Type\", \"application/json\"))", bytes]
  }

  /// The body as literals to be added up.
  private var body: [String] { service.body.map { BodyTemplate(service: service).literals($0) } ?? [] }
}

/// A JSON body as raw string literals in which the place, the size and the text are computed.
struct BodyTemplate {
  let service: ServicePlan

  private static let longest = 108

  private enum Piece {
    case text(String)
    case code(String)
  }

  func literals(_ document: Value) -> [String] {
    // What was not recorded in this very request is said too.
    let whole = computed.reduce(document) { document, item in
      document[FieldPath(text: item.key)] == nil ? document.setting(FieldPath(text: item.key), to: .null) : document
    }
    let pieces = pieces(of: whole, at: FieldPath())
    let text = pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    let isRaw = !text.contains("\"#") && !text.contains("\\#") && !SwiftText.escaped(text).contains("\\u{")
    return literals(pieces, isRaw: isRaw)
  }

  /// The code for each computed value, by its dotted name.
  private var computed: [String: String] {
    var computed: [String: String] = [:]
    func note(_ parameter: Parameter?, _ code: String) {
      if let parameter, parameter.place == .body { computed[parameter.name] = code }
    }
    switch service.paging {
    case .offset(let parameter), .number(let parameter, _): note(parameter, number("place.number", parameter))
    case .token(_, let parameter): note(parameter, "quoted(place.token)")
    case .keyset(_, let parameter): note(parameter, "quoted(place.key)")
    case .whole, .nextAddress, .link: break
    }
    note(service.sizeParameter, service.sizeParameter.map { number("place.size", $0) } ?? "")
    note(service.search, "quoted(request.query.text)")
    return computed
  }

  /// A number, as a text where it was recorded as one.
  private func number(_ code: String, _ parameter: Parameter) -> String {
    let isText = service.body?[FieldPath(text: parameter.name)]?.text != nil
    return isText ? "quoted(String(\(code)))" : code
  }

  private func pieces(of value: Value, at path: FieldPath) -> [Piece] {
    if let code = computed[path.names.joined(separator: ".")], !path.names.isEmpty { return [.code(code)] }
    switch value {
    case .object(let members):
      let inner = members.enumerated().flatMap { index, member in
        [.text((index == 0 ? "" : ",") + json(.text(member.name)) + ":")] + pieces(of: member.value, at: path.appending(member.name))
      }
      return [.text("{")] + inner + [.text("}")]
    default: return [.text(json(value))]
    }
  }

  private func json(_ value: Value) -> String { String(decoding: value.bytes, as: UTF8.self) }

  private func literals(_ pieces: [Piece], isRaw: Bool) -> [String] {
    let (open, close, escape) = isRaw ? ("#\"", "\"#", "\\#") : ("\"", "\"", "\\")
    var literals: [String] = []
    var literal = ""
    func end() {
      if !literal.isEmpty { literals.append(open + literal + close) }
      literal = ""
    }
    for piece in pieces {
      switch piece {
      case .code(let code):
        if literal.count + code.count > Self.longest { end() }
        literal += "\(escape)(\(code))"
      case .text(let text):
        for scalar in text.unicodeScalars {
          if literal.count > Self.longest { end() }
          literal += isRaw ? String(scalar) : SwiftText.escaped(String(scalar))
        }
      }
    }
    end()
    return literals
  }
}
