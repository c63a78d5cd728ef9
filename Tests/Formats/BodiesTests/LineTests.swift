import AggregatorCore
import Testing

@testable import Bodies

/// Bodies of csv, tsv and ndjson as one list of JSON.
struct LineTests {
  private func read(_ text: some Sequence<UInt8>, as kind: BodyKind = .csv, _ columns: [String: BodyFormat.Column]? = nil) throws
    -> BodyDocument
  {
    var format = BodyFormat(kind)
    format.columns = columns
    return try format.document(Array(text))
  }

  private func json(_ text: String, as kind: BodyKind = .csv) throws -> String {
    String(decoding: try read(text.utf8, as: kind).json.value.bytes, as: UTF8.self)
  }

  private func error(_ text: some Sequence<UInt8>, as kind: BodyKind = .csv, _ columns: [String: BodyFormat.Column]? = nil) -> SourceError?
  {
    do {
      _ = try read(text, as: kind, columns)
      return nil
    } catch { return error as? SourceError }
  }

  @Test(
    "a table has its names in the first row, and its values are texts",
    arguments: [
      ("id,name\n1,a\n2,\n", #"[{"id":"1","name":"a"},{"id":"2","name":null}]"#),
      ("\u{FEFF}id;name\r\n\r\n1;\"a; \"\"b\"\"\nc\"\r\n", #"[{"id":"1","name":"a; \"b\"\nc"}]"#),
      ("id,a;b;c\n1,2\n", #"[{"id":"1","a;b;c":"2"}]"#), ("id;in EUR,USD,GBP\n1;2,5\n", #"[{"id":"1","in EUR,USD,GBP":"2,5"}]"#),
      ("id\n1\n2", #"[{"id":"1"},{"id":"2"}]"#), ("id,name\n", "[]"), ("id", "[]"), ("", "null"), ("\n\n", "null"),
      ("id,,x,x, y \n1,2,3,4,5\n", #"[{"id":"1","column_2":"2","x":"3","x_2":"4","y":"5"}]"#),
      ("id,n\n1,a\0b\n", #"[{"id":"1","n":"a\u0000b"}]"#),
    ])
  func tables(text: String, json: String) throws {
    #expect(try self.json(text) == json)
  }

  @Test("tsv has no quotes") func tabs() throws {
    #expect(try json("id\tname\n1\t\"a, b\n", as: .tsv) == #"[{"id":"1","name":"\"a, b"}]"#)
  }

  @Test("a row with other values than the header is broken and keeps its place, and the others stay")
  func broken() throws {
    let document = try read("id,name\n1,a\n2\n3,b,c\n\"4\"x,d\n5,e\n".utf8)
    #expect(document.json.value == [["id": "1", "name": "a"], .null, .null, .null, ["id": "5", "name": "e"]])
    #expect(
      document.broken.mapValues(\.reason) == [
        1: "line 3: 1 values in place of 2", 2: "line 4: 3 values in place of 2", 3: "line 5: there is text after a closing quote",
      ])
    #expect(Set(document.broken.values.map(\.digest)).count == 3)
    #expect(try read(Array("id\n".utf8) + [0xE9, 0x0A]).broken[0]?.reason == "line 2: it is not valid UTF-8: byte 1 is 0xE9")
  }

  @Test("a table that ends inside quotes, or inside a row, is cut short")
  func openQuote() throws {
    #expect(error("id,name\n1,a\n2,\"b\n3,c\n".utf8)?.kind == .truncated)
    #expect(error("id,name\n1,a\n2".utf8)?.kind == .truncated)
    #expect(try read("id,name\n1,a\n2\n".utf8).broken.count == 1)
  }

  @Test("columns that fields read are needed once; values of theirs that are JSON are read as JSON")
  func columns() throws {
    let columns = ["id": BodyFormat.Column(mayBeJSON: false, isNeeded: true), "n": BodyFormat.Column(mayBeJSON: true, isNeeded: false)]
    let rows = try read("id,n\n007,1e3\n2,[1]\n3,x\n4, 5 \n".utf8, as: .csv, columns).json.raw
    #expect(String(decoding: rows, as: UTF8.self) == #"[{"id":"007","n":1e3},{"id":"2","n":[1]},{"id":"3","n":"x"},{"id":"4","n": 5 }]"#)
    #expect(error("Service busy".utf8, as: .csv, columns)?.message == "the csv has no column id (columns: Service busy)")
    #expect(error("id,n,n\n".utf8, as: .csv, columns)?.message == "the csv has 2 columns called n")
    #expect(error("id,id\n".utf8, as: .csv, columns)?.message == "the csv has 2 columns called id")
    #expect(try read("id\n1".utf8, as: .csv, columns).json.value == [["id": "1"]])
  }

  @Test("columns with the same name, or without one, keep their values under names of their own")
  func repeatedColumns() throws {
    let rows = try read(",id,n,n,n_2,n,\n0,1,a,b,c,d,\n,2,,,,,x\n".utf8).json.value
    #expect(
      rows == [
        ["column_1": "0", "id": "1", "n": "a", "n_3": "b", "n_2": "c", "n_4": "d"],
        ["id": "2", "n": .null, "n_3": .null, "n_2": .null, "n_4": .null, "column_7": "x"],
      ])
    let read = BodyFormat.Column(mayBeJSON: false, isNeeded: true)
    let both = ["n": read, "n_2": read]
    #expect(try self.read("n,n\n1,2".utf8, as: .csv, both).json.value == [["n": "1", "n_2": "2"]])
    #expect(error("n,n,n\n".utf8, as: .csv, both)?.message == "the csv has 3 columns called n")
    #expect(error("n\n".utf8, as: .csv, both)?.message == "the csv has no column n_2 (columns: n)")
  }

  @Test("each line of ndjson is a row; one that is broken keeps its place, and a last one that is cut short ends all")
  func lines() throws {
    let document = try read("{\"a\":1}\r\n\n[2\n\"x\"\nnope\n{\"a\":3}".utf8, as: .ndjson)
    #expect(document.json.value == [["a": 1], .null, "x", .null, ["a": 3]] && document.broken.keys.sorted() == [1, 3])
    #expect(error("{\"a\":1}\n{\"a\":".utf8, as: .ndjson)?.kind == .truncated)
    #expect(try read([], as: .ndjson).json.value == [])
  }

  @Test("a web page and XML are refused as rows", arguments: [BodyKind.csv, .tsv, .ndjson])
  func others(kind: BodyKind) {
    #expect(error(" \n<!DOCTYPE html><p>1,2\n3,4".utf8, as: kind)?.message == "the answer is an HTML page, and \(kind.name) is expected")
    #expect(error("<a>\n</a>".utf8, as: kind)?.message == "the answer is XML, and \(kind.name) is expected")
  }

  @Test("text with the mark of UTF-16 is read, and the marks of Windows-1252 are", arguments: [true, false])
  func otherEncodings(isBig: Bool) throws {
    let units = "\u{FEFF}id\tname\n1\tčaj\n".utf16.flatMap {
      isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
    #expect(try read(units, as: .tsv).json.value == [["id": "1", "name": "čaj"]])
    #expect(error(units.dropLast(), as: .tsv)?.message == "the answer is broken UTF-16")
    let text = Array("id\n".utf8) + [0x80, 0x96, 0x9F, 0xFF, 0x0A]
    #expect(try BodyFormat(.csv).document(text, type: "text/csv; charset=windows-1252").json.value == [["id": "€–Ÿÿ"]])
    #expect(try BodyFormat(.csv).document(text, type: "text/csv; charset=utf-8").broken.count == 1)
  }

  @Test("lines of ndjson end with a newline, a carriage return or both", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(end: String) throws {
    #expect(
      try read("{\"a\":1}\(end){\"a\":2}\(end)\(end)nope\(end){\"a\":3}\(end)".utf8, as: .ndjson).json.value == [
        ["a": 1], ["a": 2], .null, ["a": 3],
      ])
  }

  @Test("names that are repeated in each row do not fill the memory")
  func expansion() {
    let text = String(repeating: "n", count: 1 << 20) + "\n" + String(repeating: "1\n", count: 1000)
    #expect(error(text.utf8)?.message == "the csv takes more than 256 MB as JSON")
    #expect(error(("a,b\n" + String(repeating: "1,2\n", count: 2 << 20)).utf8)?.message == "the csv has more than 4 million values")
  }

  @Test(
    "the kind of a body is judged by its content type and its bytes",
    arguments: [
      ("application/json", "{\"a\": 1}", BodyKind.json), ("text/plain", "id,n\n1,2\n", .csv), ("text/csv; charset=utf-8", "id\n1\n", .csv),
      ("text/csv", "<html><p>", nil), ("application/x-ndjson", "{\"a\": 1}\n", .ndjson), (nil, "{\"a\": 1}\n{\"a\": 2}\n", .ndjson),
      ("text/tab-separated-values", "id\n1", .tsv), ("application/rss+xml", "<?xml version='1.0'?><rss/>", .xml), (nil, "<rss/>", .xml),
      ("text/html", "hello", nil), ("text/csv", "[1]", .json),
    ] as [(String?, String, BodyKind?)])
  func kinds(type: String?, text: String, kind: BodyKind?) {
    #expect(BodyKind(of: Array(text.utf8), type: type) == kind)
  }
}
