package import AggregatorCore

/// A record for the tests of stores.
package struct Friend: Record {
  package var id: String
  package var name: String
  package var nicknames: [String]
  package var note: String?

  package static let fields: [Field<Friend>] = [
    Field("id", \.id, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("nicknames", \.nicknames, searchable: true),
    Field("note", \.note),
  ]

  package init() { self.init(id: "") }

  package init(id: String, name: String = "", nicknames: [String] = [], note: String? = nil) {
    (self.id, self.name, self.nicknames, self.note) = (id, name, nicknames, note)
  }

  package init(_ number: Int, _ name: String? = nil) { self.init(id: "\(number)", name: name ?? "Friend \(number)") }
}

extension RecordStore {
  package var friends: Archive<Friend> { Archive("friends", in: self) }
}
