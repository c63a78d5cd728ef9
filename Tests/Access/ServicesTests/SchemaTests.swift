import AggregatorCore
import Platform
import Testing

@testable import Services

/// The schema that editors read, compared with the reader: each knows what the other does.
@Suite struct SchemaTests {
  private let schema: Value
  private let full: Value

  init() throws {
    let path = "\(ExampleServices.folder)/source.schema.json"
    schema = try JSON(SystemFiles().read(path, upTo: 1 << 20).bytes).value
    full = try JSON(Golden.bytes("full.json")).value
  }

  /// A part of the schema, and the place of such an object in `full.json`.
  static let parts: [(schema: String, place: String)] = [
    ("", ""), ("$defs.address", "address"), ("$defs.setting", "settings[0]"), ("$defs.key", "keys[0]"), ("$defs.oauth", "keys[2].oauth"),
    ("$defs.error", "errors[0]"),
    ("$defs.error.properties.until", "errors[0].until"), ("$defs.request", "sources.posts.list"), ("$defs.source", "sources.posts"),
    ("$defs.field", "sources.posts.fields[0]"), ("$defs.paging", "sources.posts.paging"),
    ("$defs.source.properties.search", "sources.posts.search"), ("$defs.source.properties.detail", "sources.posts.detail"),
    ("$defs.source.properties.changes", "sources.posts.changes"), ("$defs.program", "sources.hills"),
    ("$defs.program.properties.singer", "sources.issues.singer"),
  ]

  @Test("the schema of manifests has exactly the members that the reader knows", arguments: parts)
  func members(schema name: String, place: String) throws {
    let part = try #require(definition(name))
    // The reader lists the members that it knows when it meets an unknown one.
    let said = try #require(message("\(place.isEmpty ? "" : "\(place).")zzzzzzzzzzzz = 1"))
    #expect(Set(listed(said, after: "known members: ")) == Set(names(of: part["properties"])), "\(said)")
    #expect(part["additionalProperties"] == false)
    for case .object(let members)? in [part["properties"]] {
      for member in members {
        let isDescribed = member.value["description"] != nil || member.value["$ref"] != nil
        #expect(isDescribed, "\(name).\(member.name) has no description")
      }
    }
  }

  @Test("the schema of manifests requires what the reader requires", arguments: parts)
  func required(schema name: String, place: String) throws {
    let part = try #require(definition(name))
    var required: Set<String> = []
    for member in names(of: part["properties"]) where member != "zzz" {
      let said = message("- \(place.isEmpty ? "" : "\(place).")\(member.hasPrefix("$") ? "[\"\(member)\"]" : member)") ?? ""
      if said.contains("the member \"\(member)\" is missing") { required.insert(member) }
    }
    // A whole list needs no end, and a file of programs alone no address.
    if name == "$defs.paging" { required.remove("end") }
    if name.isEmpty { required.remove("address") }
    // The rows of csv are at no path.
    if name == "$defs.source" { required.remove("rows") }
    var declared: Set<String> = []
    if case .list(let names)? = part["required"] { declared = Set(names.map(\.plainText)) }
    #expect(required == declared)
  }

  @Test(
    "the schema of manifests offers the words that the reader knows",
    arguments: [
      ("$defs.error.properties.kind", "errors[0].kind"), ("$defs.error.properties.until.properties.as", "errors[0].until.as"),
      ("$defs.request.properties.method", "sources.posts.list.method"), ("$defs.source.properties.body", "sources.posts.body"),
      ("$defs.paging.properties.by", "sources.posts.paging.by"),
      ("$defs.paging.properties.end", "sources.posts.paging.end"), ("$defs.field.properties.type", "sources.posts.fields[0].type"),
      ("$defs.field.properties.role", "sources.posts.fields[0].role"), ("$defs.field.properties.width", "sources.posts.fields[0].width"),
      ("$defs.program.properties.prints", "sources.hills.prints"),
      ("$defs.program.properties.supports.items", "sources.hills.supports[0]"),
      ("$defs.program.properties.singer.properties.trust", "sources.issues.singer.trust"),
    ])
  func words(schema name: String, place: String) throws {
    let said = try #require(message("\(place) = \"zzzzzzzzzzzz\""))
    guard case .list(let words)? = definition(name)?["enum"] else { return #expect(Bool(false), "\(name) has no words") }
    #expect(words.map(\.plainText).sorted() == listed(said, after: "choose one of ").sorted())
  }

  @Test("the schema of manifests offers the ends that go with each way of paging", arguments: PagingWay.Kind.allCases)
  func ends(way: PagingWay.Kind) throws {
    guard case .list(let rules)? = definition("$defs.paging")?["allOf"] else { return #expect(Bool(false)) }
    let rule = try #require(rules.last { $0["if"]?["properties"]?["by"]?["const"] == .text(way.rawValue) && $0["then"] != true })
    guard case .list(let words)? = rule["then"]?["properties"]?["end"]?["enum"] else { return #expect(Bool(false)) }
    for end in ManifestPaging.End.allCases {
      let paging: Value = [
        "by": .text(way.rawValue), "next": "next", "more": "more", "total": "total", "pages": "pages", "end": .text("\(end)"),
      ]
      let said = message("sources.comments.paging = \(String(decoding: paging.bytes, as: UTF8.self))") ?? ""
      #expect(words.contains(.text("\(end)")) != said.contains("does not end paging"), "\(way) \(end): \(said)")
    }
  }

  @Test("each member of the schema of manifests is used in an example")
  func examples() throws {
    var used: Set<String> = []
    func visit(_ value: Value, _ kind: String) {
      switch value {
      case .object(let members):
        for member in members {
          used.insert("\(kind).\(member.name)")
          if ["query", "body", "headers"].contains(member.name) { continue }
          visit(member.value, kind == "sources" ? "source" : member.name == "list" ? "request" : member.name)
        }
      case .list(let elements): for element in elements { visit(element, kind) }
      default: break
      }
    }
    for name in ExampleServices.names {
      visit(try JSON(SystemFiles().read("\(ExampleServices.folder)/\(name).json", upTo: 1 << 20).bytes).value, "manifest")
    }
    let kinds = [
      "": "manifest", "address": "address", "settings[0]": "settings", "keys[0]": "keys", "errors[0]": "errors", "errors[0].until": "until",
      "sources.posts.list": "request", "sources.posts": "source", "sources.posts.fields[0]": "fields", "sources.posts.paging": "paging",
      "sources.posts.search": "search", "sources.posts.detail": "detail", "sources.posts.changes": "changes",
    ]
    // The examples are services, and no programs; those with a login are in the tests of logins.
    for (name, place) in Self.parts where !name.hasPrefix("$defs.program") && name != "$defs.oauth" {
      let kind = try #require(kinds[place])
      // No example is in a private network, and none guesses at its key.
      for member in names(of: definition(name)?["properties"]) where !["insecure", "keyGuessed", "oauth"].contains(member) {
        #expect(used.contains("\(kind).\(member)"), "no example has \(kind).\(member)")
      }
    }
  }

  private func definition(_ path: String) -> Value? {
    path.split(separator: ".").reduce(schema) { part, name in part?[String(name)] }
  }

  private func names(of object: Value?) -> [String] {
    if case .object(let members)? = object { members.map(\.name) } else { [] }
  }

  private func listed(_ text: String, after word: String) -> [String] {
    (text.split(separator: word).last ?? "").split(separator: ", ").map(String.init)
  }

  /// The reader's message about `full.json` with that change; nil if nothing is wrong.
  private func message(_ line: String) -> String? {
    guard let edit = Edit(line) else { return nil }
    do {
      _ = try Manifest(edit.applied(to: full).bytes, file: "full.json")
      return nil
    } catch {
      return error.message
    }
  }
}
