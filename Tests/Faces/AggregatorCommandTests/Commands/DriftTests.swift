import AggregatorCore
import Foundation
import Platform
import SourceTesting
import Synchronization
import Testing

/// Notices of syncs about rows whose shape has changed.
@Suite("drift") struct DriftTests {
  /// A list of 40 rows, each made by `row`; a sync of it is complete.
  private struct Service {
    let services: FourServices
    private let row: Rows

    private final class Rows: Sendable {
      let row = Mutex<@Sendable (Int) -> String>(Service.usual)
    }

    init() async throws {
      let rows = Rows()
      services = try await FourServices { path, connection in
        let offset = path.firstMatch(of: /offset=(\d+)/).flatMap { Int($0.1) } ?? 0
        let row = rows.row.withLock { $0 }
        connection.answer(#"{"count":40,"results":[\#((offset..<40).map(row).joined(separator: ","))]}"#)
        return true
      }
      row = rows
    }

    func give(_ row: @escaping @Sendable (Int) -> String) { self.row.row.withLock { $0 = row } }
    func run(_ line: String) async throws -> Binary.Outcome { try await services.run(line) }

    @Sendable static func usual(_ number: Int) -> String { #"{"name":"p\#(number)","level":\#(number)}"# }
  }

  private static let advice = "type 'aggregator source accept ada' if that is how they should look\n"

  @Test("a missing field is told when it begins and when it ends; same-shape fails in between")
  func missing() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync --require same-shape"), 0, errors: .lacks("missing"))
    service.give { $0 < 10 ? Service.usual($0) : #"{"name":"p\#($0)"}"# }
    try await expect(
      service.run("ada sync"), 0, errors: .has("ada: level is missing from 75 % of the rows\naggregator: ada: " + Self.advice))
    try await expect(service.run("ada sync"), 0, errors: .lacks("missing"))
    try await expect(
      service.run("ada sync --format json --require same-shape"), 3,
      output: .has(#""drift":[{"kind":"missing","field":"level","share":0.75,"since":""#),
      errors: .has("ada: the rows do not look as they did: level is missing from 75 % of the rows (--require)"))
    try await expect(service.run("sync ada --require same-shape"), 3)
    try await expect(service.run("ada changes --require same-shape -o \(service.services.folder)/c.csv"), 3)
    try await expect(service.run("doctor --offline"), output: .has("level is missing from 75 % of the rows since"))
    service.give(Service.usual)
    let back = try await expect(service.run("ada sync --require same-shape"), 0, errors: .has("ada: level is back\n"))
    expect(back, errors: .lacks("type"))
    try await expect(service.run("ada sync --format json"), 0, output: .has(#""drift":[]"#), errors: .lacks("back"))
  }

  @Test("a count that requires the same shape reads every page")
  func counting() async throws {
    let services = try await FourServices { path, connection in
      let offset = path.firstMatch(of: /offset=(\d+)/).flatMap { Int($0.1) } ?? 0
      let rows = (offset..<min(offset + 10, 40)).map { $0 == 35 ? #"{"name":"p35","level":"high"}"# : Service.usual($0) }
      connection.answer(#"{"count":40,"results":[\#(rows.joined(separator: ","))]}"#)
      return true
    }
    try await expect(services.run("ada list --count"), 0, output: "40\n")
    try await expect(
      services.run("ada list --count --require same-shape"), 3, output: "40\n", errors: .has("1 value of level is not a whole number"))
  }

  @Test("an accepted shape is expected from then on")
  func accepting() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    try await expect(
      service.run("source accept ada"), 0,
      errors: "aggregator: ada: the rows look as they did; nothing has to be accepted\n")
    service.give { #"{"name":"p\#($0)","level":"high","colour":"red"}"# }
    try await expect(
      service.run("ada sync"), 0,
      errors: .has("ada: level has values of another type in all rows\n", "ada: colour is a new field\n"))
    try await expect(
      service.run("ada list --all --require same-shape"), 3, errors: .has("40 values of level are not whole numbers (such as \"high\")"))
    try await expect(service.run("source accept ada"), 64, errors: .has("needs --yes"))
    let corrections = Printed.has(": level: integer becomes text\n", ": colour: a new field, text; it gets values at the next sync\n")
    try await expect(service.run("source accept ada --plan"), 0, errors: corrections)
    try await expect(
      service.run("source accept ada --yes"), 0,
      errors: .has("ada: accepted that level has values of another type in all rows\n", "ada: accepted that colour is a new field\n"))
    // What is stored is read by the new description at once; a field that it did not have comes with the next sync.
    try await expect(
      service.run("ada list --offline --require same-shape,complete --all --format json"), 3,
      output: .has(#"{"name":"p0","level":"high","colour":null}"#, #""misfits":{}"#))
    try await expect(service.run("ada sync --require same-shape"), 0)
    try await expect(
      service.run("ada list --offline -n 1 --format ndjson"), 0, output: .has(#"{"name":"p0","level":"high","colour":"red"}"#))
    service.give { #"{"name":"p\#($0)","level":"high","colour":"red","size":1}"# }
    let next = try await expect(
      service.run("ada sync --require same-shape"), 3, errors: .has("ada: size is a new field\n"))
    expect(next, errors: .lacks("colour"))
  }

  @Test("a plan tells what would be accepted without a correction of the manifest")
  func planned() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    service.give { #"{"name":"p\#($0)"}"# }
    try await expect(service.run("ada sync"), 0, errors: .has("ada: level is missing from all rows\n"))
    let rest = "that level is missing from all rows; level stays empty where the service does not send it\n"
    for _ in 1...2 {
      try await expect(service.run("source accept ada --plan"), 0, errors: .exactly("aggregator: ada: would accept \(rest)"))
    }
    try await expect(service.run("source accept ada --yes"), 0, errors: .has("ada: accepted \(rest)"))
  }

  @Test("a new member whose name cannot be a field's gets another name, and the file keeps its permissions")
  func oddNames() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    service.give { #"{"name":"p\#($0)","level":\#($0),"created-at":1,"@type":"x"}"# }
    try await expect(service.run("ada sync"), 0, errors: .has("ada: created-at is a new field\n"))
    let file = "\(service.services.folder)/.config/aggregator/sources/ada.json"
    chmod(file, 0o640)
    try await expect(
      service.run("source accept ada --yes"), 0,
      errors: .has(": created-at: a new field called created_at, integer;", "called type, text;"))
    #expect(try SystemFiles().read(file, upTo: 1 << 20).permissions == 0o640)
    try await expect(service.run("ada sync --require same-shape"), 0)
    try await expect(
      service.run("ada list --offline -n 1 --format ndjson"), 0,
      output: .has(#"{"name":"p0","level":0,"type":"x","created_at":1}"#))
  }

  @Test("list and show tell that the stored rows are of an earlier description of the list")
  func anotherList() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    let file = "\(service.services.folder)/.config/aggregator/sources/ada.json"
    try Folder.write(Folder.read(file).replacingEach(#""total": "count""#, with: #""total": "sum""#), to: file)
    let told = Printed.has("these are the rows of an earlier description of the list")
    try await expect(service.run("ada list --offline -n 1"), 3, errors: told)
    try await expect(service.run("ada show p3 --offline"), output: .has("p3"), errors: told)
  }

  @Test("with --freeze, records of another shape are not stored, and what was stored stays")
  func frozen() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync --freeze"), 0)
    service.give { #"{"name":"p\#($0)","level":"high"}"# }
    try await expect(
      service.run("ada sync --freeze"), 3,
      output: .has("incomplete: level has values of another type in all rows; 40 records of that shape were not stored"))
    try await expect(service.run("ada list --offline -n 1 --format ndjson"), 0, output: .has(#"{"name":"p0","level":0}"#))
    try await expect(service.run("sync ada --freeze"), 3)
    try await expect(service.run("ada sync"), 0)
    try await expect(service.run("ada list --offline -n 1 --format ndjson"), 0, output: .has(#"{"name":"p0","level":"high"}"#))
    service.give(Service.usual)
    try await expect(service.run("ada sync --freeze"), 0)
    service.give { #"{"name":"p\#($0)","level":1,"colour":"red"}"# }
    try await expect(service.run("ada sync --freeze"), 3, output: .has("colour is a new field; 40 records of that shape were not stored"))
    service.give { $0 < 20 ? Service.usual($0) : "{}" }
    try await expect(service.run("ada sync --freeze"), 3, output: .has("the key is missing from 50 % of the rows"))
  }

  @Test("rows without their key are told, with what to type about the description")
  func keyless() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    service.give { $0 < 30 ? Service.usual($0) : #"{"title":"p\#($0)","level":1}"# }
    try await expect(
      service.run("ada sync"),
      errors: .has(
        "ada: the key is missing from 25 % of the rows\n",
        "type 'aggregator source check ada', or type 'aggregator source accept ada' if that is how they should look\n"))
    service.give { #"{"title":"p\#($0)","level":1}"# }
    try await expect(service.run("ada sync"), 65, errors: .has("type 'aggregator source check ada'"))
  }

  @Test("each reader of changes is told of another shape once")
  func readers() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    try await expect(service.run("changes ada --since last:mail"), 0)
    service.give { #"{"name":"p\#($0)"}"# }
    try await expect(service.run("ada sync"), 0)
    let told = "ada: level is missing from all rows\n"
    try await expect(service.run("changes ada --since last:mail --limit 5"), 0, errors: .has(told))
    try await expect(service.run("changes ada --since last:mail"), 0, errors: .has(told))
    try await expect(service.run("changes ada --since last:mail"), 0, errors: .lacks(told))
    try await expect(service.run("changes ada --since 1d"), 0, errors: .has(told))
    try await expect(service.run("changes ada --since 2100-01-01"), 0, errors: .lacks(told))
  }

  @Test("the shape of a list is judged over all runs of one sync")
  func runs() async throws {
    // The first hundred rows have a level, and the others have none: together two fifths of the rows.
    let services = try await FourServices { path, connection in
      let offset = path.firstMatch(of: /offset=(\d+)/).flatMap { Int($0.1) } ?? 0
      let rows = (offset..<min(250, offset + 100)).map { $0 < 100 ? Service.usual($0) : #"{"name":"p\#($0)"}"# }
      connection.answer(#"{"count":250,"results":[\#(rows.joined(separator: ","))]}"#)
      return true
    }
    for _ in 1...3 { try await expect(services.run("ada sync --max-requests 1")) }
    try await expect(services.run("ada sync --require same-shape"), 0, errors: .lacks("missing"))
  }

  @Test("a new description of the list expects nothing yet")
  func described() async throws {
    let service = try await Service()
    try await expect(service.run("ada sync"), 0)
    let file = "\(service.services.folder)/ada.json"
    let text = try Folder.read(file).replacingEach(#""name": "level""#, with: #""name": "rank", "path": "level""#)
    try await expect(service.run("remove ada"), 0)
    try Folder.write(text, to: file)
    try await expect(service.run("add ada.json"), 0)
    try await expect(service.run("ada sync --require same-shape"), 0, errors: .lacks("missing"))
  }

  @Test("each verb that reads records fails where the shape is required and a value does not fit")
  func required() async throws {
    let service = try await Service()
    service.give { $0 == 7 ? #"{"name":"p7","level":1.5}"# : Service.usual($0) }
    let told = Printed.has("1 value of level is not a whole number (such as 1.5); it stays as it came")
    for line in ["ada list --all", "ada show p7", "ada search p7", "ada sync", "ada list --all --offline", "ada search p7 --offline"] {
      try await expect(service.run(line), 0, errors: told)
      try await expect(service.run("\(line) --require same-shape"), 3, errors: .has("not every value fits its field: 1 of level"))
    }
    try await expect(service.run("ada show p8 --offline --require same-shape"), 0)
    service.give { $0 == 7 ? #"{"name":"p7","level":"high"}"# : Service.usual($0) }
    try await expect(
      service.run("ada list --all --where 'level>30' --format json"), 0, output: .has(#""misfits":{"level":1}"#),
      errors: .has("level>30 could not compare 1 value of level"))
  }

  @Test("a list of few rows, and one that is empty for a moment, prove nothing")
  func few() async throws {
    let count = Mutex(40)
    let services = try await FourServices { path, connection in
      let (count, offset) = (count.withLock { $0 }, path.firstMatch(of: /offset=(\d+)/).flatMap { Int($0.1) } ?? 0)
      let rows = (0..<count).dropFirst(offset).map { count == 40 ? Service.usual($0) : #"{"name":"p\#($0)"}"# }
      connection.answer(#"{"count":\#(count),"results":[\#(rows.joined(separator: ","))]}"#)
      return true
    }
    for next in [0, 2, 3] {
      try await expect(services.run("ada sync --accept-gone"), errors: .lacks("missing"))
      count.withLock { $0 = next }
    }
    try await expect(services.run("ada sync --accept-gone"), errors: .has("ada: level is missing from all rows"))
  }
}
