import AggregatorCore
import Asking
import RecordFormats

/// The records of one list as a stream of Singer: its schema, its messages, and its entry in a catalog.
struct SingerStream: Sendable {
  let name: String
  private let columns: Columns
  private var type: SingerType
  /// The name of the property that tells records apart; nil for rows without an id.
  private let key: String?
  /// True when the id is inside another value, and the key is a property of its own.
  private let isKeyAdded: Bool
  /// The number of values that do not fit the schema, by field.
  private var misfits: [String: Int] = [:]

  /// Makes a stream of records with these columns. Rows without an id have no key.
  init(_ name: String, _ columns: Columns, hasKey: Bool = true) {
    (self.name, self.columns) = (name, columns)
    let chosen = columns.areChosen ? columns.all.map(\.leaf.path.names) : nil
    type = SingerType.object(columns.shown.map { .init(name: $0.name, type: SingerType($0)) }).keeping { path in
      chosen.map { $0.contains { $0.starts(with: path) || path.starts(with: $0) } } ?? true
    }
    let (own, names) = (columns.id.names, Set(columns.shown.map(\.name)))
    isKeyAdded = hasKey && own.count > 1
    let added = names.contains("id") ? "_id" : "id"
    key = !hasKey ? nil : isKeyAdded ? added : own.first { names.contains($0) }
  }

  private var keys: Value { .list(key.map { [.text($0)] } ?? []) }

  private var schema: Value {
    guard case .object(let properties) = type else { return type.schema }
    var members = properties.map { property in
      let isSure = columns.shown.first { $0.name == property.name }?.type != nil
      let schema = property.name == key ? property.type.schema(ofKeyThatFits: isSure) : property.type.schema
      return Member(name: property.name, value: schema)
    }
    if let key, isKeyAdded { members.append(Member(name: key, value: ["type": ["string"]])) }
    return ["type": "object", "properties": .object(members)]
  }

  /// The message that comes before the first record.
  var schemaMessage: Value {
    ["type": "SCHEMA", "stream": .text(name), "schema": schema, "key_properties": keys]
  }

  /// Returns the message of a record.
  mutating func message(_ record: ShownRecord, version: Int? = nil) -> Value {
    guard case .object(let properties) = type else { return .null }
    let value = columns.value(of: record)
    var members = properties.map { property in
      let value = value[property.name] ?? .null
      if property.name == key { return Member(name: property.name, value: value) }
      var fits = true
      let fitted = property.type.fitted(value, &fits)
      if !fits { misfits[property.name, default: 0] += 1 }
      return Member(name: property.name, value: fitted)
    }
    if let key, isKeyAdded { members.append(Member(name: key, value: .text(record.id))) }
    return .object(leavingOutNil: [
      "type": "RECORD", "stream": .text(name), "record": .object(members), "version": version.map(Value.int),
    ])
  }

  /// A text for a person about values that are null because they do not fit; nil if every value fits.
  var shortage: String? {
    guard !misfits.isEmpty else { return nil }
    let count = misfits.values.reduce(0, +)
    let fields = misfits.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    return "\(count) \(count == 1 ? "value is" : "values are") null, since no other type fits the schema: \(fields)"
  }

  /// Returns the stream without the fields at these paths. The key stays.
  func leavingOut(_ paths: [[String]]) -> SingerStream {
    copy(of: self) { stream in stream.type = type.keeping { $0 == key.map { [$0] } || !paths.contains($0) } }
  }

  /// The message that a list was given anew, so that records of another version are no longer part of it.
  func activation(of version: Int) -> Value {
    ["type": "ACTIVATE_VERSION", "stream": .text(name), "version": .int(version)]
  }

  /// The entry of the stream in a catalog, where everything is selected unless somebody says otherwise.
  var entry: Value {
    let own: Value = ["inclusion": "available", "selected-by-default": true, "table-key-properties": keys]
    let paths = type.paths() + (isKeyAdded ? [[key ?? ""]] : [])
    let fields = paths.map { path -> Value in
      let isKey = path == key.map { [$0] }
      let inclusion: Value = isKey ? ["inclusion": "automatic"] : ["inclusion": "available", "selected-by-default": true]
      return ["breadcrumb": .list(path.flatMap { ["properties", .text($0)] }), "metadata": inclusion]
    }
    return [
      "tap_stream_id": .text(name), "stream": .text(name), "key_properties": keys, "schema": schema,
      "metadata": .list([["breadcrumb": [], "metadata": own]] + fields),
    ]
  }
}

/// The streams that a catalog selects.
struct SingerSelection: Sendable {
  /// A selected stream, and the fields that its records lack.
  struct Stream: Sendable {
    let name: String
    let leftOut: [[String]]
  }

  let streams: [Stream]

  /// Reads a catalog, or the older list of properties, where `selected` stands beside a stream and in its schema. Nil if it is neither.
  init?(_ catalog: Value) {
    guard let streams = catalog["streams"]?.list else { return nil }
    self.streams = streams.compactMap { stream in
      guard let name = (stream["tap_stream_id"] ?? stream["stream"])?.text else { return nil }
      let metadata = (stream["metadata"]?.list ?? []).map { entry in
        (path: entry["breadcrumb"]?.list ?? [], facts: entry["metadata"] ?? .null)
      }
      let own = metadata.first { $0.path.isEmpty }?.facts
      guard own?["selected"]?.bool ?? stream["selected"]?.bool ?? own?["selected-by-default"]?.bool ?? false else { return nil }
      let marked = metadata.filter { !$0.path.isEmpty && !$0.facts.isSelectedField }.map { $0.path.names }
      let older = (stream["schema"]?["properties"]?.members ?? []).filter { $0.value["selected"]?.bool == false }
      return Stream(name: name, leftOut: marked + older.map { [$0.name] })
    }
  }
}

extension [Value] {
  /// The names in a breadcrumb: `["properties", "address", "properties", "city"]` is the path to the city of an address.
  fileprivate var names: [String] { indices.filter { $0 % 2 == 1 }.compactMap { self[$0].text } }
}

extension Value {
  fileprivate var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

  /// True when the metadata of a field select it.
  fileprivate var isSelectedField: Bool {
    switch self["inclusion"]?.text {
    case "automatic": true
    case "unsupported": false
    default: self["selected"]?.bool ?? self["selected-by-default"]?.bool ?? true
    }
  }
}
