import AggregatorCore
import SourceVerification

/// The lines that make a request.
struct RequestTemplate {
  let service: ServicePlan

  private var isPost: Bool { service.method != "GET" }

  var lines: [String] {
    let texts = service.variables.reversed().filter { !$0.isNumber && $0.parameter.place == .query }
    let changes = texts.map(appending) + [following].compactMap { $0 } + posting
    let head = "\(changes.isEmpty ? "let" : "var") \(service.verb) = client.request"
    return path + [call(head, [".\(service.verb)", pathName], query)] + changes
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
    service.variables.filter { $0.isNumber && $0.parameter.place == .query }.map { pair($0.parameter.name, "\\(\($0.code))") }
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
      ? "    \(head)(\n      \(arguments.joined(separator: ", ")),\n      \(list))"
      : Layout.call(head, arguments + [list], indent: 4)
  }

  private func appending(_ variable: ServicePlan.Variable) -> String {
    let name = variable.code.split(separator: ".").last ?? ""
    let item = "HTTPRequest.Item(\(SwiftText.literal(variable.parameter.name)), .plain(\(name)))"
    return "    if let \(name) = \(variable.code) { \(service.verb).query.append(\(item)) }"
  }

  private var following: String? {
    service.paging.isAddress ? "    if let token = place.token { \(service.verb) = try client.request(following: token) }" : nil
  }

  // MARK: - The body

  private var posting: [String] {
    guard isPost, service.body != nil else { return [] }
    let bytes =
      body.count == 1
      ? "    post.body = Array(\(body[0]).utf8)" : "    post.body = Array(\n      (\(Layout.sum(body, indent: 8))).utf8)"
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
    let variables = service.variables.filter { $0.parameter.place == .body }
    return Dictionary(
      variables.map { ($0.parameter.name, $0.isNumber ? number($0.code, $0.parameter) : "quoted(\($0.code))") },
      uniquingKeysWith: { $1 })
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
        [.text((index == 0 ? "" : ",") + json(.text(member.name)) + ":")]
          + pieces(of: member.value, at: path.appending(member.name))
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
