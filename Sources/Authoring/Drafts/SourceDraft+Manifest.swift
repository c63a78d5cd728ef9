package import AggregatorCore
import Recordings
import Services

extension SourceDraft {
  /// The manifest of one service with these lists, all below `base`; what they want to know a person by is that of the first.
  package static func manifest(of drafts: [SourceDraft], below base: WebAddress, settings: DraftSettings) -> Value {
    let keys = drafts.first?.request.keys ?? []
    let headers = drafts.first?.request.headers ?? []
    let sources = drafts.map { Member(name: $0.name, value: $0.source(below: base)) }
    let users = keys.compactMap { key -> Value? in
      guard case .basic(_, let user) = key.carrier else { return nil }
      return ["setting": .text(settings.user), "about": "the user's name", "default": .text(user)]
    }
    let members = zip(keys, settings.keys).map { key, setting -> Value in
      switch key.carrier {
      case .header(let name, let scheme):
        .object(leavingOutNil: ["setting": .text(setting), "header": .text(name), "scheme": scheme.map(Value.text)])
      case .query(let name): ["setting": .text(setting), "query": .text(name)]
      case .basic:
        ["setting": .text(setting), "user": .text(settings.user), "header": "Authorization", "scheme": "Basic"]
      }
    }
    return .object(leavingOutNil: [
      "aggregator": .int(Manifest.version),
      "address": .object(leavingOutNil: [
        "setting": .text(settings.address), "default": .text(base.description), "insecure": base.isSafe ? nil : true,
      ]),
      "settings": users.isEmpty ? nil : .list(users), "keys": members.isEmpty ? nil : .list(members),
      "headers": headers.isEmpty ? nil : items(headers.map { ($0.name, $0.value) }),
      "sources": .object(sources),
    ])
  }

  private func source(below base: WebAddress) -> Value {
    .object(leavingOutNil: [
      "summary": .text(summary), "list": list(below: base), "rows": path(rows),
      "rowsMayBeMissing": rowsMayBeMissing ? .bool(true) : nil, "unwrap": unwrap.map(path),
      "keyed": isKeyed ? .text("key") : nil,
      "key": key.count == 1 ? .text(key[0]) : .list(key.map(Value.text)),
      "paging": pagingMember, "fields": .list(fields.map(\.member)), "search": searchMember(below: base),
      "errors": errors, "recording": .text("\(name).har"),
    ])
  }

  // MARK: - The request

  private func list(below base: WebAddress) -> Value {
    var query = request.address.queryItems.map { (name: $0.name, value: $0.value) }
    var body = request.body
    for (parameter, template) in templates.sorted(by: { $0.key.name < $1.key.name }) {
      let path = FieldPath(text: parameter.name)
      if parameter.place == .body {
        // A service that was sent null is sent null again.
        let isNull = request.body?[path] == .null
        body = body?.setting(path, to: .text(isNull ? template.replacingEach("}", with: "?}") : template))
      } else if query.contains(where: { $0.name == parameter.name }) {
        query = query.map { $0.name == parameter.name ? ($0.name, template) : $0 }
      } else {
        query.append((parameter.name, template))
      }
    }
    return .object(leavingOutNil: [
      "method": request.method == .get ? nil : .text("POST"), "path": .text(request.address.path(below: base)),
      "query": query.isEmpty ? nil : Self.items(query), "body": body,
    ])
  }

  /// What stands in a request in place of what was sent.
  private var templates: [Parameter: String] {
    var templates: [Parameter: String] = [:]
    if let size { templates[size] = "{size}" }
    switch paging {
    case .offset(let parameter): templates[parameter] = "{offset}"
    case .number(let parameter, _): templates[parameter] = "{page}"
    case .token(_, let parameter), .keyset(_, let parameter): templates[parameter] = "{token}"
    case .whole, .link, .nextAddress: break
    }
    return templates
  }

  /// Items of one name stand in a list.
  private static func items(_ items: [(name: String, value: String)]) -> Value {
    .object(
      items.inGroups(by: \.name).map { name, items in
        Member(name: name, value: items.count == 1 ? .text(items[0].value) : .list(items.map { .text($0.value) }))
      })
  }

  // MARK: - Pages

  private var pagingMember: Value {
    let more = more.map { Value.text(MorePlace(path: ValuePath($0.path), isContrary: $0.isContrary).text) }
    let (by, next, first): (String, Value?, Int?) =
      switch paging {
      case .whole: ("whole", further.map(path), nil)
      case .offset: ("offset", nil, nil)
      case .number(_, let first): ("page", nil, first == 1 ? nil : first)
      case .nextAddress(let place): ("link", path(place), nil)
      case .link: ("link", .text("header"), nil)
      case .token(let place, _): ("token", path(place), nil)
      case .keyset(let place, _): ("last", path(place.inside(unwrap)), nil)
      }
    let counted = by == "page" && total == nil || by == "whole" ? pageCount : nil
    return .object(leavingOutNil: [
      "by": .text(by), "size": pageSize.map(Value.int), "first": first.map(Value.int), "next": next,
      "more": counted != nil && by != "whole" ? nil : more,
      "total": total.flatMap(said), "pages": counted.flatMap(said),
      "end": end(isCounted: counted != nil).map(Value.text),
      "startsPlain": startsPlain ? .bool(true) : nil,
    ])
  }

  /// What ends a walk: the surest that the service says.
  private func end(isCounted: Bool) -> String? {
    switch paging {
    case .whole: return doubt == nil ? reason.map { "\($0)" } : "never"
    case .link, .nextAddress, .token: return "next"
    case .keyset: return more == nil ? "empty" : "more"
    case .offset, .number: return total != nil ? "total" : isCounted ? "pages" : more != nil ? "more" : "empty"
    }
  }

  // MARK: - Search and errors

  private func searchMember(below base: WebAddress) -> Value? {
    guard let search, fields.contains(where: { $0.isSearchable && $0.type.isText }) else { return nil }
    let text = Value.text("{text}")
    let request: Value = .object(leavingOutNil: [
      "path": search.address.map { .text($0.path(below: base)) },
      "query": search.parameter.place == .query ? .object([Member(name: search.parameter.name, value: text)]) : nil,
      "body": search.parameter.place == .body
        ? Value.object([]).setting(FieldPath(text: search.parameter.name), to: text) : nil,
    ])
    return ["request": request]
  }

  /// GraphQL tells its errors in an answer that succeeded.
  private var errors: Value? {
    guard request.body?["query"]?.text?.contains("{") ?? false else { return nil }
    return [["path": "errors[0]", "present": true, "kind": "bad-request", "message": "errors[0].message"]]
  }
}

private func path(_ path: FieldPath) -> Value { .text(ValuePath(path).text) }

private func said(_ place: NumberPlace<FieldPath>) -> Value? { place.by(ValuePath.init).map { .text($0.text) } }

extension FieldDraft {
  fileprivate var member: Value {
    .object(leavingOutNil: [
      "name": .text(name), "path": path == ValuePath(FieldPath([name])) ? nil : .text(path.text),
      "type": type == .text ? nil : .text(type.rawValue), "role": role == .plain ? nil : .text(role.rawValue),
      "width": width == .flexible ? nil : .text(width.rawValue), "searchable": isSearchable ? .bool(true) : nil,
    ])
  }
}

extension WebAddress {
  /// The part of its path that leads on from `base`.
  fileprivate func path(below base: WebAddress) -> String {
    path.hasPrefix(base.path) ? String(path.dropFirst(base.path.count)) : path
  }
}

/// What the settings of a drafted service are called: `BOATS_URL`, `BOATS_API_KEY`.
package struct DraftSettings: Sendable {
  package let address: String
  /// One for each key.
  package let keys: [String]
  /// That of the user's name, where a key has one.
  package let user: String

  /// Those of a service called `name`, with these keys.
  package init(_ name: String, _ keys: [NamedKey]) {
    let stem = name.uppercased().replacingEach("-", with: "_")
    (address, user) = ("\(stem)_URL", "\(stem)_USER")
    self.keys = keys.map { key in
      let own =
        switch key.carrier {
        case .basic: "PASSWORD"
        case .header(_, let scheme?) where scheme == "Bearer": "TOKEN"
        case .header("Cookie", _): "COOKIE"
        case .header(let name, _), .query(let name):
          keys.count == 1 ? "API_KEY" : NameWords.words(in: name, longest: .max).joined(separator: "_").uppercased()
        }
      return "\(stem)_\(own)"
    }
  }
}
