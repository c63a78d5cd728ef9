package import AggregatorCore
import Bodies

extension Manifest {
  /// The manifest as ``init(_:file:)`` reads it. Members that have their default value are left out.
  package var value: Value {
    .object(leavingOutNil: [
      "aggregator": .int(Self.version), "address": address?.member,
      "settings": .list(of: texts.map { $0.member }), "keys": .list(of: keys.map(\.member)),
      "headers": ManifestRequest.member(headers), "budget": budget == Self.usualBudget ? nil : .text(budget.text),
      "errors": .list(of: errors.map(\.member)), "sources": .object(sources.map { Member(name: $0.name, value: $0.member) }),
    ])
  }
}

extension Setting {
  /// Returns the summary of an address, a text or a key if the manifest has none.
  package static func usualSummary(_ kind: Kind) -> String {
    switch kind {
    case .address: "base address of the service"
    case .secret: "the key to the service"
    case .text, .budget: "a value of the service"
    }
  }

  /// The end of the summary of an address without encryption.
  static let insecure = " (not encrypted)"

  /// The summary that a person wrote; nil if it is the usual one.
  fileprivate var about: Value? {
    let text = summary.hasSuffix(Self.insecure) ? String(summary.dropLast(Self.insecure.count)) : summary
    return text == Self.usualSummary(kind) ? nil : .text(text)
  }

  fileprivate var member: Value {
    .object(leavingOutNil: [
      "setting": .text(name), "about": about, "default": defaultValue.map(Value.text), "insecure": .flag(isInsecure),
    ])
  }
}

extension ManifestKey {
  fileprivate var member: Value {
    let (header, query, scheme): (String?, String?, String?) =
      switch carrier {
      case .header(let name, let scheme): (name, nil, scheme)
      case .query(let name): (nil, name, nil)
      case .basic(let header, _): (header, nil, "Basic")
      case nil: (nil, nil, nil)
      }
    return .object(leavingOutNil: [
      "setting": .text(setting.name), "about": setting.about, "header": header.map(Value.text),
      "query": query.map(Value.text), "scheme": scheme.map(Value.text), "user": user.map(Value.text),
      "optional": .flag(setting.isOptional && oauth == nil), "rotates": .flag(setting.rotates && oauth == nil),
      "oauth": oauth?.member,
    ])
  }
}

extension Budget {
  /// The budget as text, with the word for rates that apply to each resource.
  fileprivate var text: String {
    if rates.isEmpty { return "unlimited" }
    return rates.map { "\(Budget([$0]))\($0.scope == .resource ? " each" : "")" }.joined(separator: ", ")
  }
}

extension ErrorRule {
  fileprivate var member: Value {
    .object(leavingOutNil: [
      "status": status.map(Value.int), "path": path.map(Value.path), "header": header.map(Value.text), "is": value,
      "isNot": other, "present": isPresent.map(Value.bool), "kind": .text(kind.rawValue), "message": message.map(Value.path),
      "until": until.map { ["header": .text($0.header), "as": .text($0.form.rawValue)] },
    ])
  }
}

extension ManifestRequest {
  fileprivate var member: Value {
    .object(leavingOutNil: [
      "method": method.map { .text($0.rawValue) }, "path": path.map { .text($0.text) }, "query": Self.member(query),
      "headers": Self.member(headers), "body": body,
    ])
  }

  /// Returns the items as an object; items with the same name become a list.
  fileprivate static func member(_ items: [Item]) -> Value? {
    var members: [Member] = []
    for item in items where !members.contains(where: { $0.name == item.name }) {
      let texts = items.filter { $0.name == item.name }.map { Value.text($0.value.text) }
      members.append(Member(name: item.name, value: texts.count == 1 ? texts[0] : .list(texts)))
    }
    return members.isEmpty ? nil : .object(members)
  }
}

extension ManifestSource {
  /// The source as a member of a manifest.
  package var member: Value {
    guard let program else { return memberOfService }
    let members: [(String, Value?)] =
      [("summary", .text(summary))] + program.members + [
        ("unwrap", list.rows.unwrap.map(Value.path)), ("neverEmpty", .flag(isNeverEmpty)),
        ("personal", declaresPersonal.map(Value.bool)),
        ("key", keyMember), ("keyGuessed", .flag(isKeyGuessed)), ("fields", fieldsMember), ("bundled", bundled.map(Value.text)),
      ]
    return .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  private var keyMember: Value { keyParts.isEmpty ? .text(key) : .list(keyParts.map(Value.text)) }
  private var fieldsMember: Value { .list(fields.dropFirst(keyParts.isEmpty ? 0 : 1).map(\.member)) }

  private var memberOfService: Value {
    .object(leavingOutNil: [
      "summary": .text(summary), "parent": parent.map(Value.text), "list": list.request.member,
      "body": body == .json ? nil : .text(body.rawValue),
      "rows": body.isOfLines && list.rows.path.steps.isEmpty ? nil : .path(list.rows.path),
      "rowsMayBeMissing": .flag(list.rows.mayBeMissing), "unwrap": list.rows.unwrap.map(Value.path),
      "keyed": list.rows.keyed.map(Value.text), "neverEmpty": .flag(isNeverEmpty), "personal": declaresPersonal.map(Value.bool),
      "key": keyMember, "keyGuessed": .flag(isKeyGuessed), "paging": list.paging.member,
      "ignores": .list(of: list.ignored.map(\.text).sorted().map(Value.text)), "fields": fieldsMember,
      "search": search.map(member),
      "detail": detail.map { ["request": $0.request.member, "row": .path($0.row)] }, "changes": changes.map(member),
      "errors": .list(of: errors.map(\.member)), "bundled": bundled.map(Value.text), "recording": recording.map(Value.text),
    ])
  }

  private func member(_ search: Listing) -> Value {
    let paging = search.paging.member
    return .object(leavingOutNil: [
      "request": search.request.member, "paging": paging == list.paging.member ? nil : paging,
      "rows": search.rows.path == list.rows.path ? nil : .path(search.rows.path),
    ])
  }

  private func member(_ changes: Changes) -> Value {
    .object(leavingOutNil: [
      "field": .text(changes.field), "request": changes.request.member,
      "overlap": changes.overlap == .zero ? nil : .text(changes.overlap.exactAmount),
    ])
  }
}

extension ManifestPaging {
  fileprivate var member: Value {
    let (kind, inHeader) = (way.kind, way.kind == .link || end == .next ? Value.text("header") : nil)
    return .object(leavingOutNil: [
      "by": .text(kind.rawValue), "size": size.map(Value.int), "first": way.first == 1 ? nil : .int(way.first),
      "next": way.next.map(Value.path) ?? inHeader, "more": more.map { .text($0.text) }, "total": total.map { .text($0.text) },
      "pages": pages.map { .text($0.text) }, "end": end == kind.facts.usualEnd ? nil : .text(end.rawValue),
      "lookingBack": looksBack ? nil : false, "unchanging": .flag(isUnchanging), "startsPlain": .flag(startsPlain),
    ])
  }
}

extension ManifestField {
  fileprivate var member: Value {
    .object(leavingOutNil: [
      "name": .text(name), "path": path == ValuePath([name]) ? nil : .path(path), "text": text.map { .text($0.text) },
      "type": type == .text ? nil : .text(type.rawValue), "null": .list(of: nulls.sorted().map(Value.text)),
      "required": .flag(isRequired), "role": role == .plain ? nil : .text(role.rawValue),
      "width": width == .flexible ? nil : .text(width.rawValue), "searchable": .flag(isSearchable), "detail": .flag(isDetail),
      "label": label.map(Value.text), "about": about.map(Value.text),
    ])
  }
}

extension Value {
  /// True, or nil so that the member is left out.
  fileprivate static func flag(_ isTrue: Bool) -> Value? { isTrue ? true : nil }

  /// Returns the list, or nil if it is empty.
  fileprivate static func list(of values: [Value]) -> Value? { values.isEmpty ? nil : .list(values) }

  fileprivate static func path(_ path: ValuePath) -> Value { .text(path.text) }
}
