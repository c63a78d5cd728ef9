import AggregatorCore
import LooseSource
import ScratchFolders
import StoreTables
import Testing

@testable import Store

/// Records whose fields are known only at run time, and have unusual names.
@Suite final class LooseRecordTests: FileSuite {
  private func land(in store: any RecordStore) async throws -> (archive: Archive<LooseRecord>, records: [LooseRecord]) {
    let schema = try Stones.schema()
    let archive = Archive("stones", of: schema, in: store)
    let records = try Stones.rows(0..<Stones.count).map { try schema.read(JSON(Array($0.utf8))) }
    try await archive.land(records, from: .page(1))
    return (archive, records)
  }

  @Test("loose records are read back unchanged, and are found as their fields say", arguments: [true, false])
  func reading(inMemory isInMemory: Bool) async throws {
    let (archive, records) = try await land(in: isInMemory ? StoreInMemory() : store)
    func walk(_ query: Query) async throws -> [LooseRecord] {
      var walk = Walk(archive.records(), query)
      var items: [LooseRecord] = []
      while let more = try await walk.nextPage() { items += more }
      return items
    }
    #expect(try await walk(.everything) == records)
    #expect(try await walk(.matching("arhus 3")) == [records[3]])
    #expect(try await walk(.matching("basalt")) == [records[0]])
    #expect(try await walk(.matching("oslo")).isEmpty)
    #expect(try await walk(.record("5")) == [records[5]])
    #expect(try await archive.land(records, from: .page(2)).duplicates == records.count)
  }

  @Test("loose records have a column in the views for each value, under the name that a person knows")
  func views() async throws {
    _ = try await land(in: store)
    for view in ["stones", "stones_all"] {
      let (columns, row) = try store.database.reading { connection in
        let columns = try connection.all("SELECT name FROM pragma_table_info('\(view)') ORDER BY cid") { $0.text(0) }
        let row = try connection.all("SELECT * FROM \(view)") { row in (0..<row.columns).map { row.text($0) } }.first
        return (columns, row)
      }
      #expect(Array(columns.prefix(Stones.names.count)) == Stones.names)
      #expect(
        row?.prefix(Stones.names.count) == [
          "0", "Basalt", "Århus 0", "Oslo", "0470", "0", "1", "2.5", "S0", #"["hi","ho"]"#, "x, y", #"\"#, "dawn", #"{"deep":[1]}"#, "b",
        ])
    }
    #expect(try store.number("SELECT count(*) FROM fetch_log") == 1)
  }
}
