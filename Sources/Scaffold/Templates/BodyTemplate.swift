import AggregatorCore
import SourceTesting

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
    let isText = service.body?[FieldPath(text: parameter.name)]?.isText ?? false
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

  private func json(_ value: Value) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

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
