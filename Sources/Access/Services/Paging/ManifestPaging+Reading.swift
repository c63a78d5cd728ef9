import AggregatorCore

extension ManifestPaging {
  init(_ node: ManifestNode) throws {
    try node.check([
      "by", "size", "first", "next", "more", "total", "pages", "end", "lookingBack", "unchanging", "startsPlain",
    ])
    let kind = try node.member("by").choice(PagingWay.Kind.allCases)
    let namesLinkHeader = (try? node["next"]?.text()) == "header"
    size = try node["size"]?.int(in: 1...Self.mostRows)
    way = try PagingWay(
      kind, next: namesLinkHeader ? nil : node["next"]?.path(), first: node["first"]?.int(in: 0...(.max)) ?? 1)
    total = try node["total"].map(NumberLocation.init)
    pages = try node["pages"].map(NumberLocation.init)
    more = try node["more"].map { more in
      let text = try more.text()
      let isNegated = text.hasPrefix("not ")
      guard let path = ValuePath(isNegated ? String(text.dropFirst(4)) : text), !path.text.isEmpty else {
        throw more.error("expected a path such as has_more, or such as \"not last\"")
      }
      return MoreLocation(path: path, isNegated: isNegated)
    }
    let usualEnd = kind.facts.usualEnd
    end = try (usualEnd == nil ? node.member("end") : node["end"])?.choice(End.allCases) ?? usualEnd ?? .empty
    looksBack = try node["lookingBack"]?.isTrue() ?? true
    isUnchanging = try node["unchanging"]?.isTrue() ?? false
    startsPlain = try node["startsPlain"]?.isTrue() ?? false
    for (isWrong, problem, member) in problems(namesLinkHeader: namesLinkHeader, { node[$0] != nil }) where isWrong {
      throw node.error(problem, at: member)
    }
  }

  /// Returns the rules for members that must fit together: true if one is broken, the error, and the wrong
  /// member. `has` says whether a member is present.
  private func problems(namesLinkHeader: Bool, _ has: (String) -> Bool) -> [(Bool, String, String?)] {
    let (kind, facts) = (way.kind, way.kind.facts)
    let ends = facts.ends.map(\.rawValue).joined(separator: ", ")
    func lacks(_ member: String) -> Bool { has(member) && !facts.members.contains(member) }
    return [
      (!facts.ends.contains(end), "\"\(end)\" does not end paging by \(kind); choose one of \(ends)", "end"),
      (facts.next != .optional && !has("next"), "paging by \(kind) needs \"next\"", nil),
      (facts.next == .inBody && namesLinkHeader, "paging by \(kind) cannot read \"next\" from a header", "next"),
      (end == .next && !has("next"), "the end \"next\" needs \"next\"", "end"),
      (end == .total && total == nil, "the end \"total\" needs \"total\"", "end"),
      (end == .more && more == nil, "the end \"more\" needs \"more\"", "end"),
      (end == .pages && pages == nil, "the end \"pages\" needs \"pages\"", "end"),
      (lacks("first"), "\"first\" needs paging by page", "first"),
      (lacks("pages"), "\"pages\" needs paging by page or whole", "pages"),
      (lacks("lookingBack"), "\"lookingBack\" needs paging that counts rows or pages", "lookingBack"),
    ]
  }

  /// Returns the paging with its parameter in `request`. Throws if the request would ask for the same page each time.
  func carried(by request: ManifestRequest, _ node: ManifestNode) throws -> ManifestPaging {
    guard let name = way.kind.place else { return self }
    guard request.names.contains(name) else { throw node.error("paging by \(way.kind) needs {\(name)} in the request") }
    var paging = self
    paging.way.parameter = request.parameter(naming: name)
    return paging
  }

  /// Throws if the first page would have another size than later pages that are found by their number; `node` has the paging.
  func checkStart(_ request: ManifestRequest, _ node: ManifestNode) throws {
    guard way.kind == .page, startsPlain, request.names.contains("size") else { return }
    throw node.error(
      "the first page would have the service's own size and page 2 that of {size}, which leaves rows out; remove "
        + "\"startsPlain\", or {size} from the request", at: "startsPlain")
  }
}

extension NumberLocation {
  init(_ node: ManifestNode) throws {
    let text = try node.text()
    guard text.hasPrefix("header ") else {
      self = .body(try node.path())
      return
    }
    let name = text.dropFirst(7).trimmingSpaces
    guard name.isHeaderName else { throw node.error("\"\(name)\" is not a name of a header") }
    self = .header(name)
  }
}
