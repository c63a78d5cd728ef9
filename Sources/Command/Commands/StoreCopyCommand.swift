public import AggregatorCore
public import Asking
import PostgresStore
import Presentation
import Store

/// `store copy FROM TO`: everything that one store holds, into another.
enum StoreCopyCommand {
  static let command = Command(
    ["store", "copy"], .two(.place("FROM"), .place("TO")), options: Option.printing + [.timeout],
    printing: StoreCopy.CopiedTable.fields.map { $0.outline },
    "copy all that is stored to another place, such as a file to a server, and compare both; typed again, it goes on",
    examples: ["store copy old.db new.db", "store copy old.db new.db --format json"]
  ) { invocation in
    let (source, target) = (try place(invocation, 0), try place(invocation, 1, copying: true))
    guard source.name != target.name else { throw UsageError("FROM and TO are the same place") }
    let catalogue = invocation.program.catalogue
    let copied = try await StoreCopy(of: source, into: target).run { name in
      let parts = name.split(separator: ".", maxSplits: 1)
      guard let kind = catalogue[String(parts[0])]?.kind, !kind.leaves.isEmpty else { return nil }
      return parts.count == 1 ? kind : kind.companion(String(parts[1]))
    }
    try invocation.printRows(copied)
    let records = copied.filter(\.isRecords).reduce(0) { $0 + $1.rows }
    invocation.say("copied \(plural(records, "record")) to \(target.name); every table was read back and is the same")
    return .success
  }

  private static func place(_ invocation: Invocation, _ index: Int, copying isCopy: Bool = false) throws -> StoreCopy.Place {
    switch try StorePlace(invocation.arguments[index], in: invocation.program.workingDirectory) {
    case .file(let path, _): (path, SQLiteStore(at: path, named: true, copying: isCopy, clock: invocation.program.clock))
    case .server(let address): ("\(address)", PostgresStore(at: address, copying: isCopy))
    case .memory: throw UsageError("name a place")
    }
  }
}

extension StoreCopy.CopiedTable: Fielded {
  /// What `store copy` prints.
  public static let fields = [
    Field<Self>("table", .title, width: .whole) { $0.name },
    Field<Self>("rows", .badge, width: .whole) { $0.rows },
    Field<Self>("digest") { $0.digest },
  ]
}
