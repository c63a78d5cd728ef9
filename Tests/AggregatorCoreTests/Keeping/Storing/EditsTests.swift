import Testing

@testable import AggregatorCore

@Suite("A person's edits") struct EditsTests {
  private let record = Array(#"{"id":"1","name":{"first":"Ann","last":"Bell"},"size":1.0,"tags":["a"]}"#.utf8)
  private let id = Array("1".utf8)[...]

  private func edits(_ values: [(FieldPath, Value)], before: [Edit] = []) throws -> Edits {
    var edits = Edits(before)
    edits.add(values, over: try JSON(record).value, of: id)
    return edits
  }

  private func shown(_ edits: Edits, _ body: String? = nil) throws -> String? {
    try edits.laid(over: body.map { Array($0.utf8) } ?? record, of: id).map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test("a person's edits lie over a record at any depth, and can remove a value")
  func laid() throws {
    let edits = try edits([("name.first", .text("Cid")), ("tags", .null), ("note.text", .text("new"))])
    #expect(try shown(edits) == #"{"id":"1","name":{"first":"Cid","last":"Bell"},"size":1.0,"note":{"text":"new"}}"#)
    #expect(try edits.laid(over: record, of: Array("2".utf8)) == nil)
    #expect(try edits.laid(over: record, of: id)?.paths == ["name.first", "tags", "note.text"])
  }

  @Test("an edit counts as long as the service gives the value that it replaced, however it is written")
  func lasting() throws {
    let edits = try edits([("size", .int(2)), ("name.first", .text("Cid"))])
    #expect(try shown(edits, #"{"id":"1","name":{"first":"Ann"},"size":1}"#) == #"{"id":"1","name":{"first":"Cid"},"size":2}"#)
    #expect(try shown(edits, #"{"id":"1","name":{"first":"Bo"},"size":1}"#) == #"{"id":"1","name":{"first":"Bo"},"size":2}"#)
    #expect(try shown(edits, #"{"id":"1","name":{"first":"Bo"},"size":3}"#) == nil)
  }

  @Test("an edit of a time counts as long as the service gives the time that it replaced, however that is spelled; of a text, it ends")
  func lastingTime() throws {
    let edit = Edit(of: "1", at: "at", given: .text("2024-01-01T00:00:00Z"), value: .text("2025-05-05T05:05:05Z"))
    let spelled = Array(#"{"id":"1","at":"2024-01-01T00:00:00.0Z"}"#.utf8)
    var times = Edits([edit], timesAt: ["at"])
    #expect(try shown(times, #"{"id":"1","at":"2024-01-01T00:00Z"}"#) == #"{"id":"1","at":"2025-05-05T05:05:05Z"}"#)
    #expect(times.end(by: spelled[...], of: id) == [])
    times.add([("at", .text("2024-01-01 00:00:00Z"))], over: try JSON(spelled).value, of: id)
    #expect(times.changes.removed == [edit] && times.changes.added.isEmpty)
    var texts = Edits([edit])
    #expect(texts.end(by: spelled[...], of: id) == ["at"])
  }

  @Test("an edit ends once when the service's value changes")
  func ended() throws {
    var edits = Edits(try edits([("size", .int(2)), ("name.first", .text("Cid"))]).changes.added)
    #expect(edits.end(by: record[...], of: id) == [])
    #expect(edits.end(by: Array(#"{"id":"1","name":{"first":"Ann"},"size":3}"#.utf8)[...], of: id) == ["size"])
    #expect(edits.end(by: Array(#"{"id":"1","name":{"first":"Ann"},"size":4}"#.utf8)[...], of: id) == [])
    #expect(edits.changes.removed.map(\.path) == ["size"] && edits.changes.added.isEmpty)
  }

  @Test("an edit of a part ends with an edit of the whole, and the service's own value ends an edit")
  func replaced() throws {
    let first = try edits([("name.first", .text("Cid")), ("size", .int(2))]).changes.added
    let edits = try edits([("name", .text("Cid Bell")), ("size", .int(1))], before: first)
    #expect(try shown(edits) == #"{"id":"1","name":"Cid Bell","size":1.0,"tags":["a"]}"#)
    #expect(edits.changes.removed == first && edits.changes.added.map(\.path) == ["name"])
  }

  @Test("an edit does not count for an id whose bytes differ, although Swift takes the texts as equal")
  func ids() throws {
    let edits = Edits([Edit(of: "e\u{301}", at: "size", given: .double(1), value: .int(2))])
    #expect(try edits.laid(over: record, of: Array("\u{E9}".utf8)) == nil)
    #expect(try edits.laid(over: record, of: Array("e\u{301}".utf8)) != nil)
  }
}
