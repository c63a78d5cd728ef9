import AggregatorCore
import SourceTesting
import Synchronization

@testable import Services

/// A service with two lists of the same things, which can fail after some answers.
final class NightService: Sendable {
  struct Content {
    /// The rows by their numbers.
    var rows: [Int: NightRow] = [:]
    /// The number of answers before the service fails; nil if it does not fail.
    var answersLeft: Int?
  }

  let content: Mutex<Content>

  init(_ rows: [Int: NightRow]) { content = Mutex(Content(rows: rows)) }

  var transport: StubTransport {
    StubTransport { [self] request, _ in
      let asked = Request(request)
      return try content.withLock { content in
        if let left = content.answersLeft {
          guard left > 0 else { throw SourceError(.unreachable, "down") }
          content.answersLeft = left - 1
        }
        let rows = content.rows.sorted { $0.key < $1.key }
        let some = rows.dropFirst(asked.int("skip")).prefix(asked.int("take", or: 5))
        func list(_ prefix: String) -> Value { .list(some.map { $0.value.sent($0.key, prefix) }) }
        return .json(["rows": list(""), "others": list("Other "), "total": .int(rows.count)])
      }
    }
  }
}

/// A thing as the service has it.
struct NightRow: Hashable {
  var name: String
  var size: Value

  func sent(_ number: Int, _ prefix: String) -> Value {
    ["id": .int(number), "name": .text(prefix + name), "size": size, "deep": ["size": .int(number * 2)]]
  }
}

/// The members of a manifest that a person corrects.
struct NightDescription: Hashable {
  var list = "rows"
  var sizeType = "integer"
  var sizePath = "size"

  /// The rule by which a size is read before it is stored.
  func ruleOfSize() throws -> FieldRule? {
    let manifest = try manifest()
    return manifest.rules(of: manifest.sources[0]).fields["size"]
  }

  private static let manifests = Mutex<[NightDescription: Manifest]>([:])

  /// Returns the manifest, which is read once for each description.
  func manifest() throws -> Manifest {
    try Self.manifests.withLock { known in
      let manifest = try known[self] ?? read()
      known[self] = manifest
      return manifest
    }
  }

  private func read() throws -> Manifest {
    let text = """
      {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "budget": "unlimited",
       "keys": [{"setting": "SHOP_KEY", "header": "X-Key"}],
       "sources": {"things": {"summary": "Things", "list": {"path": "things", "query": {"skip": "{offset}", "take": "{size}"}},
        "rows": "\(list)", "key": "id", "fields": [{"name": "id", "type": "integer"}, {"name": "name", "role": "title"},
         {"name": "size", "path": "\(sizePath)", "type": "\(sizeType)"}],
        "paging": {"by": "offset", "size": 5, "total": "total", "end": "total"}}}}
      """
    return try Manifest(Array(text.utf8), file: "shop.json")
  }
}
