import AggregatorCore
import Manifests

// The lines that make a request.
extension ServicePlan {
  var requestLines: [String] {
    let texts = variables.reversed().filter { !$0.isNumber && $0.parameter.place == .query }
    let changes = texts.map(appending) + [following].compactMap { $0 }
    let head = "\(changes.isEmpty ? "let" : "var") \(verb) = client.request"
    let body = method == "GET" ? nil : posted.map { "posting: \($0), isRepeatable: true" }
    return path + [Layout.call(head, (body == nil ? [".\(verb)"] : []) + [pathName], list: query, indent: 4, body)] + changes
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

  // MARK: - The body

  /// The posted JSON as a literal, in which the place, the size and the text are computed; nil where nothing was posted.
  private var posted: String? {
    guard let body else { return nil }
    let computed = variables.filter { $0.parameter.place == .body }.map { ($0, FieldPath(text: $0.parameter.name)) }
    // No text of the recording is taken for one.
    var mark = "COMPUTED"
    while String(decoding: body.bytes, as: UTF8.self).contains(mark) { mark += "_" }
    let marks = computed.indices.map { Value.text("\(mark) \($0)") }
    let marked = zip(computed, marks).reduce(body) { $0.setting($1.0.1, to: $1.1) }
    return zip(computed, marks).reduce(Layout.literal(marked, indent: 6)) { literal, item in
      let ((variable, path), mark) = item
      // A number is a text where it was recorded as one.
      let isText = variable.isNumber && body[path]?.text != nil
      let code = isText ? ".text(String(\(variable.code)))" : "\(variable.code).fieldValue"
      return literal.replacingEach(SwiftText.literal(mark.text ?? ""), with: code)
    }
  }
}
