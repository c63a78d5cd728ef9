import AggregatorCore
import Recordings
import Services

// What the answer to a request means: its rows, its page, its errors.
extension EjectedService {
  var isNothingPossible: Bool { rules.contains { $0.kind == .nothing } }
  /// Asks for `answer` and `body`, or one of them; `nothing` is done where the service may say that there is nothing.
  func answered(_ isAnswerNeeded: Bool, _ isBodyNeeded: Bool = true, orElse nothing: String) -> String {
    guard rules.isEmpty else {
      let names = "(\(isAnswerNeeded ? "answer" : "_"), \(isBodyNeeded ? "body" : "_"))"
      return isNothingPossible
        ? "guard let \(names) = try await answer(to: get) else { \(nothing) }" : "let \(names) = try await answer(to: get)"
    }
    guard isAnswerNeeded else { return "let body = try await client.json(get)" }
    return "let answer = try await client.answer(to: get)" + (isBodyNeeded ? "\n    let body = try answer.json()" : "")
  }

  func required(_ path: FieldPath, _ method: String, of root: String = "body") -> String {
    path.names.dropLast().reduce(root) { "\($0).object(\(SwiftText.literal($1)))" }
      + ".\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }

  func optional(_ path: FieldPath, _ method: String, of root: String = "body") -> String {
    var code = root
    for (index, name) in path.names.dropLast().enumerated() {
      code += "\(index == 0 ? "" : "?").objectIfPresent(\(SwiftText.literal(name)))"
    }
    return code + "\(path.names.count > 1 ? "?" : "").\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }

  var paged: String {
    mutating get {
      var lines: [String] = []
      let next = next
      var rows = rows
      if source.paging.way == .last, next != nil {
        lines.append("    let rows = try Array(\(rows))")
        rows = "rows"
      }
      let total = source.paging.total.map { "total: \(number($0, "total"))" }
      let arguments = ["of: self", "rows: \(rows)", total, next.map { "next: \($0)" }]
      let page = "try Page(\(arguments.compactMap(\.self).joined(separator: ", ")))"
      let rest = said
      return (lines + ["    var page = \(page)"] + rest + ["    return page"]).joined(separator: "\n")
    }
  }

  /// What a page says beside its rows, their number and the next one.
  private var said: [String] {
    mutating get {
      var lines: [String] = []
      let paging = source.paging
      if let more = paging.more {
        if let path = more.path.names, !path.names.isEmpty {
          lines.append("    page.more = try \(more.isContrary ? "!" : "")\(required(path, "bool"))")
        } else {
          problems.append("paging.more: the path \(more.path.text)")
        }
      }
      if let pages = paging.pages {
        let first = paging.first
        let number = paging.way == .page ? "place.number\(first == 0 ? " + 1" : first == 1 ? "" : " - \(first - 1)")" : "1"
        let count = self.number(pages, "pages")
        if paging.way == .whole { lines.append(guarding("try \(count) != nil", "pages")) }
        // A number of pages is that of pages of the usual size.
        let usual = paging.way == .page && source.pages.looksBack ? "place.size == \(paging.size), " : ""
        lines.append(
          paging.more == nil && usual.isEmpty
            ? "    page.more = try \(count).map { \(number) < $0 }"
            : paging.more == nil
              ? "    if \(usual)let pages = try \(count) { page.more = \(number) < pages }"
              : "    if \(usual)let pages = try \(count), \(number) < pages { page.more = true }")
      }
      if paging.way == .whole, paging.end == .total { lines.append(guarding("page.total != nil", "total")) }
      lines += named
      if paging.way == .link, paging.end == .next, paging.more != nil {
        lines.append("    // An address is followed to an empty page, whatever else the answer says.")
        lines.append("    if page.more == false, page.received > 0, page.next != .end { page.more = nil }")
      }
      if paging.way == .whole, paging.end == .never {
        lines.append("    // There may be more than comes.")
        lines.append("    page.standing = .unverifiable")
      }
      let isLink = paging.way == .link && paging.next == nil
      lines.append("    page.noteMore(in: answer\(isLink ? ", followingLink: true" : ""))")
      if source.isNeverEmpty {
        lines.append("    if page.received == 0, request.query == .everything, request.cursor == nil {")
        lines.append("      throw SourceError(.malformed, \"the list is empty, which it never is\")\n    }")
      }
      if let changes = source.changes, let property = record.property(ofField: changes.field) {
        let moment = property.type == "CalendarDay" ? " { $0.\(property.name).map { Moment($0) } }" : "(\\.\(property.name))"
        lines.append("    if case .changed = request.query { page.mark = page.items.compactMap\(moment).max() }")
      }
      return lines
    }
  }

  /// The line that refuses an answer without what the manifest says it has.
  private func guarding(_ condition: String, _ what: String) -> String {
    "    guard \(condition) else { throw SourceError(.malformed, \(SwiftText.literal("the answer has no \(what)"))) }"
  }

  /// What tells that another page is named which the list does not go on by.
  private var named: [String] {
    mutating get {
      guard [.whole, .offset, .page].contains(source.paging.way), let path = source.paging.next else { return [] }
      guard let names = path.names, !names.names.isEmpty, let found = EjectedRecord.code(of: path, root: "body") else {
        problems.append("paging.next: the path \(path.text)")
        return []
      }
      return (source.paging.end == .next ? [guarding("\(found) != nil", path.text)] : [])
        + ["    if try \(optional(names, "stringOrNumberIfPresent")) != nil { page.more = true }"]
    }
  }

  var rows: String {
    mutating get {
      let place = source.rows
      guard let path = place.path.names else {
        problems.append("rows: the path \(place.path.text)")
        return "body.asArray()"
      }
      if place.keyed != nil {
        return "\(path.names.isEmpty ? "body.asObject()" : required(path, "object")).members.map(\\.value)"
      }
      if place.mayBeMissing, !path.names.isEmpty { return "\(optional(path, "arrayIfPresent")).map { Array($0) } ?? []" }
      return path.names.isEmpty ? "body.asArray()" : required(path, "array")
    }
  }

  /// A number of the answer, which may be missing.
  mutating func number(_ place: NumberPlace<ValuePath>, _ member: String) -> String {
    switch place {
    case .header(let name): return "answer[header: \(SwiftText.literal(name))].flatMap { Int($0) }"
    case .body(let path):
      guard let names = path.names, !names.names.isEmpty else {
        problems.append("paging.\(member): the path \(path.text)")
        return "nil"
      }
      return optional(names, "intIfPresent")
    }
  }

  var next: String? {
    mutating get {
      let path = source.paging.next
      if [.whole, .offset, .page].contains(source.paging.way) { return nil }
      if let path, path.names?.names.isEmpty ?? true {
        problems.append("paging.next: the path \(path.text)")
        return nil
      }
      switch source.paging.way {
      case .whole, .offset, .page: return nil
      case .link:
        return "client.next(\(path?.names.map { optional($0, "stringIfPresent") } ?? "answer.link(\"next\")"), after: get)"
      case .token: return path?.names.map { ".token(ifAny: \(optional($0, "stringOrNumberIfPresent")))" }
      case .last:
        // A walk goes on behind the last record unless told otherwise.
        let isKey = source.fields.contains { $0.name == source.key && record.place(of: $0).names == keyPath }
        if isKey { return nil }
        return keyPath.map {
          ".token(ifAny: rows.compactMap { try? \(optional($0, "stringOrNumberIfPresent", of: "$0")) }.last)"
        }
      }
    }
  }

  // MARK: - What changed, and one record

  var changed: String {
    mutating get {
      guard source.changes != nil else { return "" }
      let isPlaced = source.list.names.contains { ["size", "offset", "page", "token"].contains($0) }
      return """

          /// The service's own time: what changes from now on changes after it.
          func latest(_ request: PageRequest) async throws -> Page<\(name.record)> {
            \(isPlaced ? "let place" : "_") = try request.place(in: self)
        \(lone(source.list))
            \(answered(true, false, orElse: "return Page(of: self, [])"))
            var page = Page(of: self, [])
            page.mark = answer[header: "Date"].flatMap(HTTPDate.moment)
            return page
          }

        """
    }
  }

  var detail: String {
    mutating get {
      guard let detail = source.detail else { return "" }
      let isByParts = detail.request.names.contains(where: source.keyParts.contains)
      let parts = """
              let parts = id.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.decode($0) }
              guard parts.count == \(source.keyParts.count) else { return [] }

        """
      guard let row = EjectedRecord.code(of: detail.row, root: "body") else {
        problems.append("detail.row: the path \(detail.row.text)")
        return ""
      }
      return """

          /// The record with that id, in full; none where there is none.
          func record(_ id: String) async throws -> [\(name.record)] {
            do {
        \(isByParts ? parts : "")\(lone(detail.request).split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
              \(answered(false, orElse: "return []"))
              guard let row = \(row), !row.isNull else { return [] }
              return [try \(name.record)(row, as: .service)]
            } catch let error as SourceError where error.kind == .noSuchAddress {
              return []
            }
          }

        """
    }
  }

  var answer: String {
    mutating get {
      if rules.isEmpty { return "" }
      let lines = rules.map { rule(of: $0) }
      let wants = lines.joined().contains("word(")
      return """

          /// The answer, and what it says; an error where it tells of one that HTTP does not.
          func answer(to request: HTTPRequest) async throws -> (HTTPResponse, JSON)\(isNothingPossible ? "?" : "") {
            let response = try await client.send(request)
            let trouble = client.trouble(in: response)
            let answer = Result { try response.json() }
        \(wants ? word : "")
        \(lines.joined(separator: "\n"))
            if let trouble { throw trouble }
            return (response, try answer.get())
          }

        """
    }
  }

  var word: String {
    """
        let body = try? answer.get()
        func word(_ json: JSON?) -> String? {
          json.flatMap { (try? $0.asString()) ?? ($0.isNull ? nil : String(decoding: $0.raw, as: UTF8.self)) }
        }
    """
  }

  mutating func rule(of rule: ErrorRule) -> String {
    var conditions = rule.status.map { ["response.status == \($0)"] } ?? []
    var found: String?
    if let header = rule.header { found = "response[header: \(SwiftText.literal(header))]" }
    if let path = rule.path {
      // What is no JSON says nothing.
      conditions.append("body != nil")
      if let code = EjectedRecord.code(of: path, root: "body?") {
        found = "word(\(code.replacingEach("body??", with: "body?")))"
      } else {
        problems.append("errors: the path \(path.text)")
      }
    }
    if let found {
      if let isPresent = rule.isPresent { conditions.append("\(found) \(isPresent ? "!=" : "==") nil") }
      if let value = rule.value {
        conditions.append("\(found) == \(value.isNull ? "nil" : SwiftText.literal(value.word ?? ""))")
      }
      if let other = rule.other {
        conditions.append("\(found) != \(other.isNull ? "nil" : SwiftText.literal(other.word ?? ""))")
      }
    }
    let said = rule.message.flatMap { EjectedRecord.code(of: $0, root: "body?") }.map { "word(\($0)) ?? \"\"" }
    let text =
      said.map { "\"the service says: \\(\($0))\"" } ?? "\"the service answered with an error (HTTP \\(response.status))\""
    let wait =
      rule.until.map { until -> String in
        let header = "response[header: \(SwiftText.literal(until.header))]"
        return switch until.form {
        case .seconds: "\(header).flatMap { Double($0) }.map { .seconds($0) } ?? trouble?.retryAfter"
        case .unix: "\(header).flatMap { Int($0) }.map { Moment(secondsSinceEpoch: $0) - clock.now } ?? trouble?.retryAfter"
        case .date: "\(header).flatMap { HTTPDate.moment($0) ?? Moment(iso: $0) }.map { $0 - clock.now } ?? trouble?.retryAfter"
        }
      } ?? "trouble?.retryAfter"
    let action =
      switch rule.kind {
      case .nothing: "return nil"
      case .throttled: "let wait = \(wait)\n      throw SourceError.throttled(\(text), for: wait)"
      case .refusedKey: "throw SourceError(.refusedKey, \(text))"
      case .badRequest: "throw SourceError(.badRequest, \(text))"
      case .notFound: "throw SourceError(.noSuchAddress, \(text))"
      case .unavailable: "throw SourceError(.unavailable, \(text), retryAfter: \(wait))"
      case .malformed: "throw SourceError(.malformed, \(text))"
      }
    return "    if \(conditions.joined(separator: ", ")) {\n      \(action)\n    }"
  }
}
