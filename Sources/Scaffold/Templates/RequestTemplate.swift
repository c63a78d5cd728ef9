import AggregatorCore
import SourceVerification

// The lines that make a request.
extension ServicePlan {
  var requestLines: [String] {
    let texts = variables.reversed().filter { !$0.isNumber && $0.parameter.place == .query }
    let changes = texts.map(appending) + [following].compactMap { $0 } + posting
    let head = "\(changes.isEmpty ? "let" : "var") \(verb) = client.request"
    return path + [Layout.call(head, [".\(verb)", pathName], list: query, indent: 4)] + changes
  }

  private var path: [String] {
    guard let search = address.searchPath else { return [] }
    let (plain, found) = (SwiftText.literal(address.path), SwiftText.literal(search))
    return ["    let path = request.query.text == nil ? \(plain) : \(found)"]
  }

  private var pathName: String { address.searchPath == nil ? SwiftText.literal(address.path) : "path" }

  private var query: [String] {
    let numbers = variables.filter { $0.isNumber && $0.parameter.place == .query }
    return numbers.map { "\(SwiftText.literal($0.parameter.name)): \"\\(\($0.code))\"" }
      + constants.map { Layout.pair(SwiftText.literal($0.name) + ":", SwiftText.literal($0.value), indent: 8) }
  }

  private func appending(_ variable: Variable) -> String {
    let name = variable.code.split(separator: ".").last ?? ""
    let item = "HTTPRequest.Item(\(SwiftText.literal(variable.parameter.name)), .plain(\(name)))"
    return "    if let \(name) = \(variable.code) { \(verb).query.append(\(item)) }"
  }

  private var following: String? {
    paging.isAddress ? "    if let token = place.token { \(verb) = try client.request(following: token) }" : nil
  }

  private var posting: [String] {
    guard method != "GET", let body else { return [] }
    return [
      "    post.headers.append(HTTPRequest.Item(\"Content-Type\", \"application/json\"))",
      "    " + Layout.pair("let json =", literal(body), indent: 4),
      "    post.body = Array(json.utf8)",
    ]
  }

  // MARK: - The body

  /// Whether a text is written into a body.
  var needsQuoting: Bool { method != "GET" && body != nil && computed.contains { $0.code.hasPrefix("quoted(") } }

  /// The places in the body that are computed, and the code for each: a number is a text where it was recorded as one.
  private var computed: [(path: FieldPath, code: String)] {
    variables.filter { $0.parameter.place == .body }.map { variable in
      let path = FieldPath(text: variable.parameter.name)
      guard variable.isNumber else { return (path, "quoted(\(variable.code))") }
      return (path, body?[path]?.text == nil ? variable.code : "quoted(String(\(variable.code)))")
    }
  }

  /// The JSON as a literal in which the place, the size and the text are computed.
  private func literal(_ document: Value) -> String {
    let marks = computed.indices.map { Value.text("COMPUTED \($0)") }
    let marked = zip(computed, marks).reduce(document) { $0.setting($1.0.path, to: $1.1) }
    let text = json(marked)
    let isRaw = !text.contains("\"#") && !text.contains("\\#") && !SwiftText.escaped(text).contains("\\u{")
    let (open, close, escape) = isRaw ? ("#\"", "\"#", "\\#") : ("\"", "\"", "\\")
    let literal = isRaw ? text : SwiftText.escaped(text)
    return zip(computed, marks).reduce(open + literal + close) { literal, item in
      let mark = isRaw ? json(item.1) : SwiftText.escaped(json(item.1))
      return literal.replacingEach(mark, with: "\(escape)(\(item.0.code))")
    }
  }

  private func json(_ value: Value) -> String { String(decoding: value.bytes, as: UTF8.self) }
}
