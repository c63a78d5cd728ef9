import AggregatorCore
import Countries
import SourceTesting
import Testing

@testable import Asking
@testable import RecordFormats

/// Schemas of parameters, and what is read of an ask.
@Suite struct ParameterSchemaTests {
  /// A Thursday.
  private static let now = Moment(iso: "2026-11-26T10:00:00Z") ?? Moment(secondsSinceEpoch: 0)

  /// The words that a verb needs besides those of one parameter.
  private func words(_ verb: Verb, _ parameter: Ask.Parameter, _ value: String) -> AskWords {
    var words: [String: [String]] =
      switch verb.subject {
      case .nothing: [:]
      case .text: ["text": ["a"]]
      case .record, .records: ["id": ["a"]]
      case .twoRecords: ["id": ["a", "b"]]
      }
    if [.by, .sum].contains(parameter) { words["count"] = [] }
    words[parameter.name] = parameter == .id && verb.subject == .twoRecords ? [value, value] : [value]
    return AskWords(words)
  }

  private func parameters(of source: SourceDescriptor) -> [(Verb, Ask.Parameter)] {
    source.verbs.flatMap { verb in
      (verb.subjectParameters + verb.parameters).filter { $0.isOffered(by: source) && $0 != .cursor }.map { (verb, $0) }
    }
  }

  @Test(
    "every example in the schema of a parameter is read, and every other value that fits it",
    arguments: Bundled.sources.map(\.name) + ["hostile"])
  func values(name: String) throws {
    let source = try Bundled.sources.first { $0.name == name } ?? HostileSource.descriptor()
    for (verb, parameter) in parameters(of: source) {
      let schema = JSONSchema.value(of: parameter, for: verb, of: source).value
      var values: [String] = (schema["enum"]?.list ?? schema["examples"]?.list ?? []).compactMap(\.text)
      if schema["type"] == "boolean" { values = ["true", "false"] }
      if schema["type"] == "integer" { values = [schema["minimum"], schema["maximum"]].compactMap { $0.map(\.plainText) } }
      if schema["type"] == "string", values.isEmpty, schema["pattern"] == nil { values = ["a", " ", "=", "null"] }
      #expect(!values.isEmpty || schema["pattern"] != nil, "\(parameter.name)")
      for value in values {
        do {
          _ = try Ask(verb, of: source, reading: words(verb, parameter, value), at: Self.now)
        } catch {
          Issue.record("\(source.name) \(verb.name) \(parameter.name)=\(value): \(error)")
        }
      }
    }
  }

  @Test("a field is found in a condition and an order, whatever its name is")
  func hostileNames() throws {
    let source = try HostileSource.descriptor()
    let names = source.fields.leaves.map(\.path.text).filter { name in !name.contains { "=!~<>".contains($0) } }
    #expect(names.count > 30)
    for name in names {
      for (parameter, text) in [(Ask.Parameter.where, "=null"), (.where, " in null"), (.where, "~a"), (.sort, "")] {
        #expect(throws: Never.self, "\(name)\(text)") {
          try Ask(.list, of: source, reading: words(.list, parameter, name + text), at: Self.now)
        }
      }
    }
  }

  private static let known: [(verb: Verb, parameter: Ask.Parameter, matching: [String], refused: [String])] = [
    (
      .list, .where,
      [
        "region=EU", "region!=EU", "region in EU,AS", "capital~san", "capital!~san jose", "capital=", "capital=null", "capital=\"\"",
        "name=Côte d'Ivoire", "name=Bosnia & Herzegovina", "name in \"Bonaire, Saba\",Fiji", "code in FR,IN,DE", "currency=euro",
        "currency.code~EU", "code<5", "name=in", "name=東京", "capital in null,Rome", "name=(a)", "name~19\" rack", "name=\"a\"b",
        "capital=a, b; c",
      ],
      [
        "", "region", "region EU", "regoin=EU", "region==EU", "region<EU", "region~", "region in ", "region in (EU,AS)",
        "region in \"EU\"x", "region in EU,,AS",
        "region=EU capital=Rome", "region in \"EU", "region=x capital in y", "=EU", "flag>x",
      ]
    ),
    (
      .list, .sort, ["name", "-name", "name,-code,currency.name"],
      ["", ",", "nam", "name,", "name,,code", "--name", "currency", "name,currency"]
    ),
    (
      .list, .require, ["complete", "same-shape,live,found", "age<1d", "age<1h30m,complete", "audited<7d", "age<90"],
      ["", "whole", "complete,", "age<0", "age", "age<", "age>1d", "audited", "age<d", "live,,found"]
    ),
    (
      .list, .maxAge, ["0", "0s", "90", "1.5s", ".5h", "500ms", "1h30m", "2W"],
      ["", "-1", "x", "1y", "1 h", "m", "1..5", "1e3", "1000000000", "s1"]
    ),
    (.list, .timeout, ["5", "500ms", "2m", "0h1m", "0.001ms", "1d0"], ["0", "0s", "0ms0", "0.0", "", "-1s"]),
    (
      .list, .asOf,
      ["3d", "yesterday", "monday", "2026", "2026-11", "2026-11-01", "2025-12-31", "2026-11-25T23:59:59.5Z", "2026-10-31T00:00"],
      ["last", "2027", "2026-12", "2026-11-27", "tomorrow", "3", "2026-02-30", "2026-11-27T00:00:00Z", "2026-13-01", "0d"]
    ),
    (
      .changes, .since,
      ["last", "last:mail", "1d", "2w3h", "today", "2024-02-29", "2000-02-29", "2026-11-30", "2030-01-01T06:00:00+05:30"],
      ["last:", "lastly", "0d", "2023-02-29", "1900-02-29", "2026-04-31", "2026-00-01", "26-11-01", "2026-11-01T24:00:00Z", "1"]
    ),
    (.changes, .until, ["yesterday", "1960", "9999w", "2026-11-01T06:00:00Z"], ["last", "soon", "0d"]),
    (.changes, .where, ["field=city", "before!=null", "at>=monday", "change in new,gone", "source~coun"], ["name=x", "at>x", "field>x"]),
    (.list, .by, [], ["nam", "currency", ""]), (.list, .cursor, [], ["", "a b", "ä", "x="]),
  ]

  @Test("the usual spellings are read, and others are refused", arguments: known.indices)
  func spellings(index: Int) throws {
    let (verb, parameter, matching, refused) = Self.known[index]
    let schema = JSONSchema.value(of: parameter, for: verb, of: .countries)
    for text in matching {
      #expect(SchemaCheck().faults(in: .text(text), by: schema).isEmpty, "\(text)")
      #expect(throws: Never.self) { try Ask(verb, of: .countries, reading: words(verb, parameter, text), at: Self.now) }
    }
    for text in refused {
      #expect(throws: AskError.self, "\(text)") { try Ask(verb, of: .countries, reading: words(verb, parameter, text), at: Self.now) }
    }
  }

  @Test("a parameter that is given several times is a list, and the subject of a verb as many as it takes")
  func lists() {
    func values(_ parameter: Ask.Parameter, _ verb: Verb) -> Value {
      JSONSchema.values(of: parameter, for: verb, of: .countries, atMost: 100).value
    }
    #expect(values(.limit, .list) == ["type": "integer", "minimum": 1, "maximum": 100])
    #expect(values(.where, .list)["items"]?["examples"] != nil && values(.where, .list)["minItems"] == 1)
    #expect(values(.id, .why) == ["type": "string", "minLength": 1])
    #expect(values(.id, .show) == ["type": "array", "items": ["type": "string", "minLength": 1], "minItems": 1])
    #expect(values(.id, .compare)["minItems"] == 2 && values(.id, .compare)["maxItems"] == 2)
    #expect(values(.live, .list) == ["type": "boolean"])
  }
}
