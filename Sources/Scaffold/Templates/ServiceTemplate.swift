import AggregatorCore
import Manifests

// The source: a page of rows for each request.
extension SourcePlan {
  /// `PortsService.swift`.
  var serviceCode: String {
    return """
      import AggregatorCore

      /// The \(name.plural) of \(SwiftText.clause(service.address.host)), \(manner).
      struct \(name.service): DataSource {
      \(profile)
        let client: Client

        func page(_ request: PageRequest) async throws -> Page<\(name.record)> {
      \(([place] + service.requestLines + answer + [page]).joined(separator: "\n"))
        }
      }

      """
  }

  private var manner: String {
    switch service.paging {
    case .whole: "all in one answer"
    case .offset: "page by page: each begins behind the rows that came"
    case .number: "page by page, by number"
    case .nextAddress: "page by page: each holds the address of the next"
    case .link: "page by page: each has a Link header to the next"
    case .token: "page by page: each holds a token for the next"
    case .keyset: "page by page: each begins behind the last row that came"
    }
  }

  private var profile: String {
    let end = service.total == nil ? ".emptyPage" : ".total"
    let paging =
      switch service.paging {
      case .whole: ".whole"
      case .offset: ".offset(size: \(service.pageSize), end: \(end))"
      case .number(_, let first): ".numbered(\(first == 1 ? "" : "from: \(first), ")size: \(service.pageSize), end: \(end))"
      case .keyset: ".keyset(size: \(service.pageSize)\(service.more == nil ? ", end: \(end)" : ""))"
      case .nextAddress, .link, .token: ".tokens(size: \(service.pageSize))"
      }
    let search = service.search == nil ? "" : ", search: .native"
    return "  let profile = Profile(\(SwiftText.literal(name.text)), paging: \(paging)\(search))"
  }

  private var place: String {
    service.paging == .whole ? "    _ = try request.place(in: self)" : "    let place = try request.place(in: self)"
  }

  // MARK: - The answer

  private var needsHeaders: Bool {
    if case .header = service.total { return true }
    return service.paging == .link
  }

  private var answer: [String] {
    needsHeaders
      ? ["    let answer = try await client.answer(to: \(service.verb))", "    let body = try answer.json()"]
      : ["    let body = try await client.json(\(service.verb))"]
  }

  private var page: String {
    let arguments = [
      "of: self", service.isKeyApart ? "rows: rows" : "rows: \(rows)", total.map { "total: \($0)" }, next.map { "next: \($0)" },
    ].compactMap { $0 }
    let lines = service.isKeyApart ? ["    let rows = try Array(\(rows))"] : []
    guard let more else { return (lines + [Layout.call("return try Page", arguments, indent: 4)]).joined(separator: "\n") }
    return
      (lines + [Layout.call("var page = try Page", arguments, indent: 4), "    page.more = try \(more)", "    return page"])
      .joined(separator: "\n")
  }

  /// Whether the service says that there is more.
  private var more: String? {
    service.more.map { more in
      if service.isMoreOptional { return optional(more.path, "boolIfPresent") + (more.isContrary ? ".map { !$0 }" : "") }
      return (more.isContrary ? "!" : "") + required(more.path, "bool")
    }
  }

  /// What the next page begins behind, where that is not the record's id.
  private var key: String? {
    guard service.isKeyApart, case .keyset(let path, _) = service.paging else { return nil }
    return ".token(ifAny: rows.compactMap { try? \(required(path, "stringOrNumberIfPresent", of: "$0")) }.last)"
  }

  private var rows: String {
    let path = service.list.items.value
    return path.names.isEmpty ? "body.asArray()" : required(path, "array")
  }

  private var total: String? {
    switch service.total {
    case nil: nil
    case .header(let name): "answer[header: \(SwiftText.literal(name))].flatMap { Int($0) }"
    case .body(let path): service.isTotalOptional ? optional(path, "intIfPresent") : required(path, "int")
    }
  }

  private var next: String? {
    switch service.paging {
    case .whole, .offset, .number: nil
    case .keyset: key
    case .link: "client.next(answer.link(\"next\"), after: \(service.verb))"
    case .nextAddress(let path): "client.next(\(optional(path, "stringIfPresent")), after: \(service.verb))"
    case .token(let path, _): ".token(ifAny: \(optional(path, "stringOrNumberIfPresent")))"
    }
  }

  private func required(_ path: FieldPath, _ method: String, of root: String = "body") -> String {
    path.names.dropLast().reduce(root) { "\($0).object(\(SwiftText.literal($1)))" }
      + ".\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }

  private func optional(_ path: FieldPath, _ method: String) -> String {
    var expression = "body"
    for (index, name) in path.names.dropLast().enumerated() {
      expression += "\(index == 0 ? "" : "?").objectIfPresent(\(SwiftText.literal(name)))"
    }
    return expression + "\(path.names.count > 1 ? "?" : "").\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }
}
